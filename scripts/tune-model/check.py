"""Compares an export with the float model that it was made of.

    python check.py FOLDER EXPORT --texts TEXTS.txt

Prints the cosine between the vectors of both (mean, and the least), how many of the ten nearest texts both agree on,
the size, and the milliseconds a text on one thread. Fails if the mean cosine is below .99.
"""

import argparse
import os
import time

import numpy as np
import onnxruntime
import torch

import models


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder')
    parser.add_argument('export')
    parser.add_argument('--texts', required=True)
    args = parser.parse_args()
    model, tokenizer = models.load(args.folder)
    model.eval()
    ids = models.tokens(tokenizer, models.read_texts(args.texts)[:400], 256)
    floats = np.concatenate([float_vector(model, row) for row in ids])
    path = f'{args.export}/onnx/model_quantized.onnx'
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options)
    began = time.perf_counter()
    integers = np.concatenate([export_vector(session, row) for row in ids])
    milliseconds = (time.perf_counter() - began) * 1000 / len(ids)
    cosines = (floats * integers).sum(1)
    same = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(nearest(floats), nearest(integers))])
    size = os.path.getsize(path) / 1e6
    print(f'cosine mean {cosines.mean():.4f}, least {cosines.min():.4f}; {same:.3f} of the ten nearest are the same')
    print(f'{size:.1f} MB; {milliseconds:.2f} ms a text of {np.mean([len(row) for row in ids]):.0f} tokens, one thread')
    if cosines.mean() < 0.99:
        raise SystemExit('the export is too far from the float model')


def float_vector(model, row):
    with torch.no_grad():
        hidden = model(torch.tensor([row])).last_hidden_state.mean(1)
        return torch.nn.functional.normalize(hidden, dim=1).numpy()


def export_vector(session, row):
    x = np.array([row], np.int64)
    feeds = {'input_ids': x, 'attention_mask': np.ones_like(x), 'token_type_ids': np.zeros_like(x)}
    named = {entry.name for entry in session.get_inputs()}
    mean = session.run(None, {name: value for name, value in feeds.items() if name in named})[0].mean(1)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def nearest(vectors):
    scores = vectors @ vectors.T
    np.fill_diagonal(scores, -1)
    return np.argsort(-scores, axis=1)[:, :10]


if __name__ == '__main__':
    main()
