"""Models of scripts/tune-model: float folders and 8-bit exports, and texts into vectors.

A float folder has config.json, tokenizer.json and model.safetensors with the weights of a BERT encoder, and for a
student those of a linear bridge. The vector of a text is the mean of the last hidden states over its tokens, at unit
length.

A student has the lower layers of one model and the upper layers of another. The bridge is a linear layer between them,
before the layer that `bridge_layer` of config.json names.
"""

import json
import os
import shutil

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

TOKENIZER_FILES = ('tokenizer.json', 'tokenizer_config.json')


def load(folder):
    """The model and the tokenizer of a float folder, or of an export, whose weights are then 8 bits wide.

    Dropout is off: tuning takes few steps, and noise costs more than it protects.
    """
    with open(f'{folder}/config.json', encoding='utf-8') as file:
        config = BertConfig(**json.load(file))
    # On a CPU with bfloat16, plain attention trains twice as fast as PyTorch's fused one.
    config._attn_implementation = 'eager'
    model = BertModel(config, add_pooling_layer=False)
    weights = read_weights(folder)
    if 'bridge.weight' in weights:
        add_bridge(model, config.bridge_layer)
    missing, unexpected = model.load_state_dict(weights, strict=False)
    missing = [name for name in missing if not name.endswith('_ids')]
    # Published folders have these; no vector depends on them.
    unexpected = [name for name in unexpected if not name.startswith('pooler.') and not name.endswith('_ids')]
    if missing or unexpected:
        raise SystemExit(f'{folder}: the weights do not fit config.json: lacks {missing[:3]}, has {unexpected[:3]}')
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    tokenizer = Tokenizer.from_file(f'{folder}/tokenizer.json')
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return model, tokenizer


def add_bridge(model, layer):
    """Puts a linear layer before a layer of the encoder."""
    model.config.bridge_layer = layer
    model.bridge = torch.nn.Linear(model.config.hidden_size, model.config.hidden_size)
    model.encoder.layer[layer].register_forward_pre_hook(lambda _, inputs: (model.bridge(inputs[0]), *inputs[1:]))


def read_weights(folder):
    """Float weights by name, of a float folder or of an export."""
    if os.path.exists(f'{folder}/model.safetensors'):
        return load_file(f'{folder}/model.safetensors')
    if os.path.exists(f'{folder}/onnx/model_quantized.onnx'):
        from dequantise import dequantise

        return dequantise(f'{folder}/onnx/model_quantized.onnx')
    raise SystemExit(f'{folder}: neither model.safetensors nor onnx/model_quantized.onnx is there')


def save(model, folder, like):
    """Writes a float folder, with the configuration and the tokenizer of the folder `like`."""
    os.makedirs(folder, exist_ok=True)
    with open(f'{like}/config.json', encoding='utf-8') as file:
        config = json.load(file)
    config['num_hidden_layers'] = len(model.encoder.layer)
    if hasattr(model, 'bridge'):
        config['bridge_layer'] = model.config.bridge_layer
    with open(f'{folder}/config.json', 'w', encoding='utf-8') as file:
        json.dump(config, file, indent=2)
    copy_tokenizer(like, folder)
    weights = {name: value.contiguous().clone() for name, value in model.state_dict().items()}
    weights = {name: value for name, value in weights.items() if not name.endswith('_ids')}
    # A run that is stopped while it writes leaves the former checkpoint.
    save_file(weights, f'{folder}/model.part', metadata={'format': 'pt'})
    os.replace(f'{folder}/model.part', f'{folder}/model.safetensors')


def copy_tokenizer(source, folder):
    if os.path.abspath(source) == os.path.abspath(folder):
        return
    for name in TOKENIZER_FILES:
        if os.path.exists(f'{source}/{name}'):
            shutil.copyfile(f'{source}/{name}', f'{folder}/{name}')


def read_texts(path):
    """The texts of a file with one a line. Empty lines are none."""
    with open(path, encoding='utf-8') as file:
        texts = [line.rstrip('\n') for line in file if line.strip()]
    if not texts:
        raise SystemExit(f'{path} has no texts; 400 are enough')
    return texts


def keep_longest(documents, pair):
    """Keeps the longest document of a skill in `documents`: from those of other pairs a phrase was taken out."""
    documents[pair['skill']] = max(documents.get(pair['skill'], ''), pair['document'], key=len)


def tokens(tokenizer, texts, longest):
    """Token ids of each text, cut to `longest` tokens with the closing token kept."""
    return [cut(encoding.ids, longest) for encoding in tokenizer.encode_batch(texts)]


def cut(ids, longest):
    """Token ids cut to `longest`, with the closing token kept."""
    return ids if len(ids) <= longest else ids[: longest - 1] + ids[-1:]


def padded(ids):
    """Token ids of a batch and its mask, both (texts, longest)."""
    width = max(map(len, ids))
    x = torch.zeros(len(ids), width, dtype=torch.long)
    mask = torch.zeros(len(ids), width, dtype=torch.long)
    for i, row in enumerate(ids):
        x[i, : len(row)] = torch.tensor(row)
        mask[i, : len(row)] = 1
    return x, mask


def states(model, ids):
    """The last hidden states of one batch, (texts, tokens, values), and its mask. With gradients, in bfloat16."""
    x, mask = padded(ids)
    with torch.autocast('cpu', dtype=torch.bfloat16):
        return model(input_ids=x, attention_mask=mask).last_hidden_state.float(), mask


def mean_vectors(hidden, mask):
    """Unit vectors, (texts, values), of hidden states and their mask."""
    share = mask.unsqueeze(-1).float()
    return F.normalize((hidden * share).sum(1) / share.sum(1), dim=1)


def vectors(model, ids):
    """Unit vectors of one batch, (texts, values), with gradients."""
    return mean_vectors(*states(model, ids))


def vectors_by_length(model, ids, batch=64):
    """As `vectors`, of any number of texts: texts of like length go together, which saves padding."""
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    parts = [vectors(model, [ids[i] for i in order[start : start + batch]]) for start in range(0, len(order), batch)]
    place = torch.empty(len(order), dtype=torch.long)
    place[torch.tensor(order)] = torch.arange(len(order))
    return torch.cat(parts)[place]


def embed(model, tokenizer, texts, longest=256):
    """Unit vectors of texts without gradients, (texts, values) float32."""
    if not texts:
        return np.zeros((0, model.config.hidden_size), np.float32)
    with torch.no_grad():
        return vectors_by_length(model, tokens(tokenizer, texts, longest)).numpy()
