"""Writes a float folder as an ONNX model of 8 bits that is quick on a CPU, in the layout of Transformers.js.

    python export.py FOLDER OUT --texts TEXTS.txt [--words 4]

TEXTS has about 400 texts as they are embedded, one a line: name and description of skills, and questions. The ranges
of the activations are taken from them, so the more varied they are, the better. OUT gets config.json, tokenizer.json,
tokenizer_config.json and onnx/model_quantized.onnx. The same input gives the same bytes.

Activations get fixed ranges (static quantisation), so a text's vector never depends on the batch that it is in. What
makes fixed ranges possible is SmoothQuant (Xiao et al., 2023): a few channels are ten times as large as the others, so
each channel is divided by a factor, and the weights that read it are multiplied by it.
"""
import argparse
import json
import os

import numpy as np
import onnx
import torch
from onnx import TensorProto as T, helper as h, numpy_helper as nh

import models

MS = 'com.microsoft'
# How much of a channel's size goes from the activations into the weights, by place. Measured on skill-minilm: .5 for
# the output of GELU takes the mean cosine to the float model from .997 to .984.
ALPHA = {'in': 0.7, 'context': 0.7, 'ff': 0.7, 'gelu': 0.9}
LARGEST = 64  # weights of 7 bits: products of 8-bit weights overflow 16 bits on AVX2 without VNNI
BLOCK = 32  # values that share a scale in an embedding table of 4 bits
MAX_TOKENS = 256


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', help='float folder')
    parser.add_argument('out', help='folder to write')
    parser.add_argument('--texts', required=True, help='texts as they are embedded, one a line')
    parser.add_argument('--words', type=int, choices=(4, 8), default=8, help='bits of the word embeddings')
    args = parser.parse_args()
    # With one thread, sums are made in one order, and two runs give the same bytes.
    torch.set_num_threads(1)
    model, tokenizer = models.load(args.folder)
    model.eval()
    ranges = measure(model, models.tokens(tokenizer, models.read_texts(args.texts), MAX_TOKENS))
    os.makedirs(f'{args.out}/onnx', exist_ok=True)
    with open(f'{args.folder}/config.json', encoding='utf-8') as file:
        config = json.load(file)
    with open(f'{args.out}/config.json', 'w', encoding='utf-8') as file:
        json.dump(config, file, indent=2)
        file.write('\n')
    models.copy_tokenizer(args.folder, args.out)
    onnx.save(export(model, ranges, args.words), f'{args.out}/onnx/model_quantized.onnx')
    print(f'{os.path.getsize(args.out + "/onnx/model_quantized.onnx") / 1e6:.1f} MB')


def measure(model, token_lists):
    """Largest absolute value of each channel, and smallest and largest value, of what each matrix multiplies."""
    absolute, samples = {}, {}
    def tap(name):
        def hook(_module, inputs):
            x = inputs[0][0].detach()
            largest = x.abs().amax(0)
            absolute[name] = torch.maximum(absolute[name], largest) if name in absolute else largest
            # Lowest value by channel: GELU has none below -0.17, so its range need not be symmetric.
            low = x.amin(0)
            samples[name] = torch.minimum(samples[name], low) if name in samples else low
        return hook
    for l, layer in enumerate(model.encoder.layer):
        layer.attention.self.query.register_forward_pre_hook(tap((l, 'in')))
        layer.attention.output.dense.register_forward_pre_hook(tap((l, 'context')))
        layer.intermediate.dense.register_forward_pre_hook(tap((l, 'ff')))
        layer.output.dense.register_forward_pre_hook(tap((l, 'gelu')))
    with torch.no_grad():
        for ids in token_lists:
            model(input_ids=torch.tensor([ids]), attention_mask=torch.ones(1, len(ids), dtype=torch.long))
    return {name: (absolute[name].numpy(), samples[name].numpy()) for name in absolute}


def export(model, ranges, word_bits):
    config = model.config
    hidden, heads = config.hidden_size, config.num_attention_heads
    state = {name: value.detach().numpy().astype(np.float32) for name, value in model.state_dict().items()}
    nodes, initializers, known = [], [], set()

    def init(name, value):
        if name not in known:
            known.add(name)
            initializers.append(nh.from_array(np.ascontiguousarray(value), name))
        return name

    def node(op, inputs, outputs=1, domain='', **attributes):
        names = [f'{op}_{len(nodes)}_{i}' for i in range(outputs)]
        nodes.append(h.make_node(op, inputs, names, name=f'{op}_{len(nodes)}', domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def ints(name, *values):
        return init(name, np.array(values, np.int64))

    def rows(name, table, ids):
        """Rows of an embedding table of 8 bits, with one scale a row."""
        scale = np.abs(table).max(1, keepdims=True) / 127
        scale[scale == 0] = 1
        quantised = np.round(table / scale).astype(np.int8)
        picked = [ids(init(name + '.q', quantised)), ids(init(name + '.scale', scale.astype(np.float32)))]
        return node('Mul', [node('Cast', [picked[0]], to=T.FLOAT), picked[1]])

    def layer_norm(x, prefix):
        weights = [init(prefix + part, state[prefix + part]) for part in ('weight', 'bias')]
        return node('LayerNormalization', [x, *weights], axis=-1, epsilon=config.layer_norm_eps)

    def quantise(x, name, factors, low, high):
        if factors is not None:
            x = node('Mul', [x, init(name + '.factors', (1 / factors).astype(np.float32))])
        scale = np.float32((high - low) / 255)
        zero = np.uint8(np.clip(round(-low / scale), 0, 255))
        scale, zero = init(name + '.scale', scale), init(name + '.zero', zero)
        return node('QuantizeLinear', [x, scale, zero]), scale, zero

    def matmul(quantised, name, weight, bias):
        """@param weight inputs by outputs"""
        scale = (np.abs(weight).max(0) / LARGEST).astype(np.float32)
        scale[scale == 0] = 1
        integers = np.clip(np.round(weight / scale), -LARGEST, LARGEST).astype(np.int8)
        x, x_scale, x_zero = quantised
        return node('MatMulIntegerToFloat', [
            x, init(name + '.q', integers), x_scale, init(name + '.scale', scale), x_zero,
            init(name + '.zero', np.zeros(len(scale), np.int8)), init(name + '.bias', bias)], domain=MS)

    def smooth(l, place, weights):
        """Factors of the channels, and the range of what was divided by them."""
        absolute, low = ranges[l, place]
        absolute = np.maximum(absolute, 1e-3)
        read = np.maximum(np.abs(np.concatenate(weights, 1)).max(1), 1e-4)
        factors = absolute ** ALPHA[place] / read ** (1 - ALPHA[place])
        factors = (factors / np.exp(np.log(factors).mean())).astype(np.float32)
        return factors, min(float((low / factors).min()), 0.0), float((absolute / factors).max())

    def linear(name):
        return state[name + '.weight'].T.copy(), state[name + '.bias']

    def words_of_4_bits(table):
        """Blocks of 32 values with one scale each, as llama.cpp's Q4_0: what was stored so before stays as it was."""
        blocks = table.reshape(len(table), -1, BLOCK)
        largest = np.take_along_axis(blocks, np.abs(blocks).argmax(2)[..., None], 2)
        scale = (largest / -8).astype(np.float16)
        divisor = np.where(scale == 0, 1, scale).astype(np.float32)
        integers = np.clip(np.round(blocks / divisor), -8, 7).astype(np.int8).reshape(table.shape)
        packed = ((integers[:, 0::2] & 15) | ((integers[:, 1::2] & 15) << 4)).astype(np.uint8)
        initializers.append(h.make_tensor('word.q', T.INT4, table.shape, packed.tobytes(), raw=True))
        inputs = ['word.q', 'input_ids', init('word.scale', scale[..., 0])]
        attributes = {'block_size': BLOCK, 'gather_axis': 0, 'quantize_axis': 1}
        return node('Cast', [node('GatherBlockQuantized', inputs, domain=MS, **attributes)], to=T.FLOAT)

    table = state['embeddings.word_embeddings.weight']
    if word_bits == 4:
        words = words_of_4_bits(table)
    else:
        words = rows('word', table, lambda t: node('Gather', [t, 'input_ids']))
    length = node('Slice', [node('Shape', ['input_ids']), ints('one', 1), ints('two', 2)])
    # All texts are of the first type.
    positions = state['embeddings.position_embeddings.weight'] + state['embeddings.token_type_embeddings.weight'][0]
    places = rows('position', positions, lambda t: node('Slice', [t, ints('zero', 0), length, ints('zero', 0)]))
    x = layer_norm(node('Add', [words, places]), 'embeddings.LayerNorm.')

    mask = node('Sub', [node('Cast', ['attention_mask'], to=T.FLOAT), init('1.0', np.float32(1))])
    mask = node('Unsqueeze', [node('Mul', [mask, init('10000.0', np.float32(1e4))]), ints('1,2', 1, 2)])
    to_heads = ints('to heads', 0, 0, heads, hidden // heads)
    from_heads = ints('from heads', 0, 0, hidden)

    for l in range(config.num_hidden_layers):
        prefix = f'encoder.layer.{l}.'
        if 'bridge.weight' in state and l == config.bridge_layer:
            x = node('MatMul', [x, init('bridge.weight', state['bridge.weight'].T.copy())])
            x = node('Add', [x, init('bridge.bias', state['bridge.bias'])])
        names = [f'{prefix}attention.self.{part}' for part in ('query', 'key', 'value')]
        parts = {name: linear(name) for name in names}
        out_weight, out_bias = linear(prefix + 'attention.output.dense')
        # The factors of the context cost nothing: each channel is a sum of values of that channel.
        context_factors, context_low, context_high = smooth(l, 'context', [out_weight])
        value_weight, value_bias = parts[names[2]]
        parts[names[2]] = (value_weight / context_factors, value_bias / context_factors)
        factors, low, high = smooth(l, 'in', [weight for weight, _ in parts.values()])
        read = quantise(x, f'{l}.in', factors, low, high)
        query, key, value = (
            node('Reshape', [matmul(read, name, weight * factors[:, None], bias), to_heads])
            for name, (weight, bias) in parts.items())
        query = node('Transpose', [query], perm=[0, 2, 1, 3])
        key = node('Transpose', [key], perm=[0, 2, 3, 1])
        value = node('Transpose', [value], perm=[0, 2, 1, 3])
        scores = node('FusedMatMul', [query, key], domain=MS, alpha=float(1 / np.sqrt(hidden / heads)))
        shares = node('Softmax', [node('Add', [scores, mask])], axis=-1)
        context = node('Transpose', [node('MatMul', [shares, value])], perm=[0, 2, 1, 3])
        context = node('Reshape', [context, from_heads])
        read = quantise(context, f'{l}.context', None, context_low, context_high)
        y = matmul(read, prefix + 'attention.output', out_weight * context_factors[:, None], out_bias)
        # Not SkipLayerNormalization, which takes three times as long as these two.
        x = layer_norm(node('Add', [y, x]), prefix + 'attention.output.LayerNorm.')

        weight, bias = linear(prefix + 'intermediate.dense')
        factors, low, high = smooth(l, 'ff', [weight])
        y = matmul(quantise(x, f'{l}.ff', factors, low, high), prefix + 'ff', weight * factors[:, None], bias)
        y = node('Gelu', [y], domain=MS)
        weight, bias = linear(prefix + 'output.dense')
        factors, low, high = smooth(l, 'gelu', [weight])
        y = matmul(quantise(y, f'{l}.gelu', factors, low, high), prefix + 'gelu', weight * factors[:, None], bias)
        x = layer_norm(node('Add', [y, x]), prefix + 'output.LayerNorm.')

    nodes[-1].output[0] = 'last_hidden_state'
    def tensor(name, kind, shape):
        return h.make_tensor_value_info(name, kind, shape)
    inputs = [tensor(name, T.INT64, ['batch', 'length']) for name in ('input_ids', 'attention_mask')]
    output = tensor('last_hidden_state', T.FLOAT, ['batch', 'length', hidden])
    graph = h.make_graph(nodes, 'encoder', inputs, [output], initializers)
    # Integers of 4 bits came with opset 21; without them older runtimes can read the file.
    opset, ir = (21, 10) if word_bits == 4 else (17, 8)
    return h.make_model(graph, opset_imports=[h.make_opsetid('', opset), h.make_opsetid(MS, 1)], ir_version=ir)


if __name__ == '__main__':
    main()
