"""The float weights of an 8-bit export, to train on where only the export of an earlier run is left.

    python dequantise.py EXPORT OUT

Reads what `export.py` writes, and what onnxruntime's `quantize_dynamic` writes for a BertModel that is held in a
module as `m`. Each weight is (integer - zero point) x scale; factors that `export.py` moved between layers are moved
back. A weight is then off by half a step of 7 bits, and a vector by about .003 of cosine.
"""

import re
import sys

import numpy as np
import onnx
import torch
from onnx import numpy_helper

import models


def dequantise(path):
    """Float weights by the names of BertModel."""
    graph = onnx.load(path).graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    data = {name: numpy_helper.to_array(tensor) for name, tensor in tensors.items()}
    weights = from_export(data) if '0.in.scale' in data else from_quantize_dynamic(graph, data)
    return {name: torch.from_numpy(np.array(value, np.float32)) for name, value in weights.items()}


def from_export(data):
    weights = {}

    def table(name):
        scale = data[name + '.scale'].astype(np.float32)
        integers = data[name + '.q'].astype(np.float32)
        if name == 'word' and scale.shape[1] > 1:
            return (integers.reshape(len(integers), scale.shape[1], -1) * scale[..., None]).reshape(len(integers), -1)
        return integers * scale

    def matrix(name):
        return data[name + '.q'].astype(np.float32) * data[name + '.scale']

    weights['embeddings.word_embeddings.weight'] = table('word')
    # The type of all texts is folded into the positions.
    weights['embeddings.position_embeddings.weight'] = table('position')
    hidden = weights['embeddings.word_embeddings.weight'].shape[1]
    weights['embeddings.token_type_embeddings.weight'] = np.zeros((2, hidden))
    for name, value in data.items():
        if 'LayerNorm' in name or name.startswith('bridge.'):
            weights[name] = value
    if 'bridge.weight' in weights:
        weights['bridge.weight'] = weights['bridge.weight'].T
    layer = 0
    while f'{layer}.in.scale' in data:
        prefix = f'encoder.layer.{layer}.'
        inverse = data[f'{layer}.in.factors'][:, None]
        for part in ('query', 'key', 'value'):
            name = f'{prefix}attention.self.{part}'
            weights[name + '.weight'] = (matrix(name) * inverse).T
            weights[name + '.bias'] = data[name + '.bias']
        # The factors of the context stay where they are: values are smaller by as much as what reads them is larger.
        dense = {'attention.output': 'attention.output.dense', 'ff': 'intermediate.dense', 'gelu': 'output.dense'}
        for place, name in dense.items():
            factors = data.get(f'{layer}.{place}.factors')
            value = matrix(prefix + place)
            weights[f'{prefix}{name}.weight'] = (value if factors is None else value * factors[:, None]).T
            weights[f'{prefix}{name}.bias'] = data[f'{prefix}{place}.bias']
        layer += 1
    return weights


def from_quantize_dynamic(graph, data):
    weights = {
        name.removeprefix('m.'): value
        for name, value in data.items()
        if name.startswith('m.') and value.dtype == np.float32 and not name.endswith('_scale')
    }
    for node in graph.node:
        for name in node.input:
            if not name.endswith('_quantized') or name not in data:
                continue
            base = name.removesuffix('_quantized')
            zero = data[base + '_zero_point'].astype(np.float32)
            value = (data[name].astype(np.float32) - zero) * data[base + '_scale']
            # A matrix has no name of its own and stands as (inputs, outputs); its node says which module it belongs to.
            module = re.fullmatch(r'/m/(.+)/MatMul_quant', node.name)
            if module:
                weights[module[1].replace('/', '.') + '.weight'] = value.T
            else:
                weights[base.removeprefix('m.')] = value
    return weights


def main(source, out):
    model, _ = models.load(source)
    models.save(model, out, source)


if __name__ == '__main__':
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
