"""Averages the weights of two models of one shape: SHARE of A, the rest of B.

    python average.py A B SHARE OUT

Some of the weights before tuning, mixed back in, often keep what tuning forgot (Wortsman et al., "Robust fine-tuning
of zero-shot models", 2022).
"""

import sys

import torch

import models


def main(first, second, share, out):
    share = float(share)
    if not 0 <= share <= 1:
        raise SystemExit(f'SHARE must be 0 to 1: {share}')
    model, _ = models.load(first)
    other = models.read_weights(second)
    state = model.state_dict()
    for name, value in state.items():
        if name not in other or other[name].shape != value.shape:
            raise SystemExit(f'{second} has no weight {name} of the shape {tuple(value.shape)}')
        value.copy_(torch.lerp(other[name].to(value.dtype), value, share))
    models.save(model, out, first)


if __name__ == '__main__':
    if len(sys.argv) != 5:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
