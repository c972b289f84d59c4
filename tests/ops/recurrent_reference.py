"""Recurrent layers step by step in NumPy, one sequence at a time."""

import numpy as np


def _activation(name, alpha, beta):
    functions = {
        "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "Tanh": np.tanh,
        "Relu": lambda x: np.maximum(x, 0),
        "Affine": lambda x: alpha * x + beta,
        "LeakyRelu": lambda x: np.where(x < 0, alpha * x, x),
        "ThresholdedRelu": lambda x: np.where(x > alpha, x, 0),
        "ScaledTanh": lambda x: alpha * np.tanh(beta * x),
        "HardSigmoid": lambda x: np.clip(alpha * x + beta, 0, 1),
        "Elu": lambda x: np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x),
        "Softsign": lambda x: x / (1 + np.abs(x)),
        "Softplus": lambda x: np.log1p(np.exp(x)),
    }
    return functions[name]


_ALPHA = {
    "Affine": 1.0,
    "LeakyRelu": 0.01,
    "ThresholdedRelu": 1.0,
    "ScaledTanh": 1.0,
    "HardSigmoid": 0.2,
    "Elu": 1.0,
}
_BETA = {"Affine": 0.0, "ScaledTanh": 1.0, "HardSigmoid": 0.5}


def _functions(names, alphas, betas):
    alphas, betas = list(alphas or []), list(betas or [])
    result = []
    for name in names:
        alpha = alphas.pop(0) if name in _ALPHA and alphas else _ALPHA.get(name)
        beta = betas.pop(0) if name in _BETA and betas else _BETA.get(name)
        result.append(_activation(name, alpha, beta))
    return result


def recurrent(kind, x, w, r, b=None, lens=None, h0=None, c0=None, p=None, **attrs):
    """Y, Y_h and, for LSTM, Y_c. kind: "LSTM", "GRU", "RNN"."""
    defaults = {
        "LSTM": ["Sigmoid", "Tanh", "Tanh"],
        "GRU": ["Sigmoid", "Tanh"],
        "RNN": ["Tanh"],
    }[kind]
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind]
    directions, hidden = w.shape[0], r.shape[2]
    layout = attrs.get("layout", 0)
    if layout:
        x = x.swapaxes(0, 1)
        h0 = None if h0 is None else h0.swapaxes(0, 1)
        c0 = None if c0 is None else c0.swapaxes(0, 1)
    steps, batch = x.shape[:2]
    names = attrs.get("activations") or defaults * directions
    functions = _functions(names, attrs.get("activation_alpha"), attrs.get("activation_beta"))
    limit = attrs.get("clip")
    clip = (lambda v: np.clip(v, -limit, limit)) if limit else (lambda v: v)
    y = np.zeros((steps, directions, batch, hidden))
    y_h, y_c = (
        np.zeros((directions, batch, hidden)),
        np.zeros((directions, batch, hidden)),
    )
    for d in range(directions):
        f = functions[d * len(defaults) : (d + 1) * len(defaults)]
        bias = np.zeros(2 * gates * hidden) if b is None else b[d]
        wb, rb = np.split(bias, 2)
        reverse = attrs.get("direction", "forward") == "reverse" or d == 1
        for n in range(batch):
            length = steps if lens is None else int(lens[n])
            h = np.zeros(hidden) if h0 is None else h0[d, n]
            c = np.zeros(hidden) if c0 is None else c0[d, n]
            peephole = np.zeros((3, hidden)) if p is None else p[d].reshape(3, hidden)
            for t in reversed(range(length)) if reverse else range(length):
                from_x = (w[d] @ x[t, n] + wb).reshape(gates, hidden)
                from_h = (r[d] @ h + rb).reshape(gates, hidden)
                if kind == "RNN":
                    h = f[0](clip(from_x[0] + from_h[0]))
                elif kind == "GRU":
                    update, reset = (
                        f[0](clip(from_x[0] + from_h[0])),
                        f[0](clip(from_x[1] + from_h[1])),
                    )
                    if attrs.get("linear_before_reset"):
                        fresh = f[1](clip(from_x[2] + reset * from_h[2]))
                    else:
                        state = r[d].reshape(gates, hidden, hidden)[2] @ (reset * h) + rb.reshape(gates, hidden)[2]
                        fresh = f[1](clip(from_x[2] + state))
                    h = (1 - update) * fresh + update * h
                else:
                    s = from_x + from_h
                    i = f[0](clip(s[0] + peephole[0] * c))
                    forget = 1 - i if attrs.get("input_forget") else f[0](clip(s[2] + peephole[2] * c))
                    c = forget * c + i * f[1](clip(s[3]))
                    h = f[0](clip(s[1] + peephole[1] * c)) * f[2](c)
                y[t, d, n] = h
            y_h[d, n], y_c[d, n] = h, c
    if layout:
        y, y_h, y_c = y.transpose(2, 0, 1, 3), y_h.swapaxes(0, 1), y_c.swapaxes(0, 1)
    return (y, y_h, y_c) if kind == "LSTM" else (y, y_h)


def make_inputs(kind, steps, batch, size, hidden, directions, layout=0, seed=0, dtype=np.float32):
    """All inputs of a layer by name, states and (LSTM) peepholes included."""
    rng = np.random.default_rng(seed)
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[kind]

    def array(*shape):
        return rng.normal(0, 0.5, shape).astype(dtype)

    x, state = array(steps, batch, size), (directions, batch, hidden)
    made = {
        "x": x.swapaxes(0, 1).copy() if layout else x,
        "w": array(directions, gates * hidden, size),
        "r": array(directions, gates * hidden, hidden),
        "b": array(directions, 2 * gates * hidden),
        "lens": rng.integers(0, steps + 1, batch).astype(np.int32),
        "h0": array(*state),
    }
    if kind == "LSTM":
        made["c0"] = array(*state)
        made["p"] = array(directions, 3 * hidden)
    if layout:
        for name in ("h0", "c0"):
            if name in made:
                made[name] = made[name].swapaxes(0, 1).copy()
    return made
