"""Tunes a model on pairs of a text and the skill that it belongs to.

    python train.py MODEL PAIRS.jsonl OUT --minutes 30

MODEL is a float folder or an export. PAIRS.jsonl is what `skill-discovery tune pairs` writes. OUT becomes a float
folder; a checkpoint is written there every five minutes, and training can go on from it as MODEL.

The loss is the cross-entropy of the right skill among those of the batch and the hard negatives of the pairs, of whole
vectors and of their first 128 values, so that vectors may be cut (Matryoshka, Kusupati et al., 2022). Beside it,
`--keep` holds the vectors of skills near those that MODEL gives them. Without it a model that learns from a few
thousand requests forgets what it was good at.
"""

import argparse
import collections
import json
import random

import torch
import torch.nn.functional as F

import models
import training

SCALE = 30.0  # of cosines, before the softmax
CUT = 128
CUT_WEIGHT = 0.3
REVERSE_WEIGHT = 0.3  # of the loss that looks for the text of a skill
TEXT_TOKENS, SKILL_TOKENS = 64, 80
NEGATIVES = 2  # of each pair in a step
SAME = 0.9  # skills at least so alike are no negatives of each other
# Share of the pairs of a kind that is used: these kinds are many, and the least like what people ask.
SHARES = {'heading': 0.1, 'name': 0.1, 'words': 0.1, 'sentence': 0.3}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('model')
    parser.add_argument('pairs')
    parser.add_argument('out')
    training.add_options(parser, minutes=30, batch=96, rate=6e-5)
    parser.add_argument('--keep', type=float, default=10, help='weight of staying near the first vectors (default 10)')
    parser.add_argument('--requests', type=float, default=0.6, help='share of written requests in a batch (default .6)')
    args = parser.parse_args()
    training.seed(args)
    batches = Batches(args.pairs, args.batch, args.requests)
    model, tokenizer = models.load(args.model)
    first, _ = models.load(args.model)
    first.eval()
    # The words stay as they are: most of them do not occur in the pairs.
    for parameter in model.embeddings.parameters():
        parameter.requires_grad = False
    step = lambda: {'loss': loss_of(batches.next(), model, first, tokenizer, args.keep)}
    training.run(model, args, args.model, step, warm_up=20, tell_every=20)


class Batches:
    """Batches of pairs at random: a share of written requests, the rest of mined pairs."""

    def __init__(self, path, size, share):
        requests, mined = [], []
        self.documents = {}
        with open(path, encoding='utf-8') as file:
            for line in file:
                pair = json.loads(line)
                models.keep_longest(self.documents, pair)
                # A request in another language trains by its English wording.
                pair['text'] = pair.get('english') or pair['text']
                if random.random() > SHARES.get(pair['kind'], 1):
                    continue
                (requests if pair['kind'] == 'request' else mined).append(pair)
        if len(requests) + len(mined) < 2:
            raise SystemExit(f'{path} has {len(requests) + len(mined)} pairs; training needs more')
        self.parts = list(zip((requests, mined), counts(size, share, len(requests), len(mined))))
        self.waiting = [[], []]

    def next(self):
        batch = []
        for number, (pairs, count) in enumerate(self.parts):
            for _ in range(count):
                if not self.waiting[number]:
                    self.waiting[number] = random.sample(pairs, len(pairs))
                batch.append(self.waiting[number].pop())
        negatives = {skill for pair in batch for skill in sample(pair.get('negatives', []), NEGATIVES)}
        return batch, {skill: self.documents[skill] for skill in sorted(negatives) if skill in self.documents}


def counts(size, share, requests, mined):
    """How many requests and mined pairs a batch has: of a kind that is rare, each at most once."""
    written = min(round(size * share), requests)
    others = min(size - written, mined)
    return min(size - others, requests), others


def sample(values, count):
    return random.sample(values, min(count, len(values)))


def known_right(pairs, negatives):
    """Which skills are no negatives of a pair: its own, and those of pairs with the same text.

    Truth values, (pairs, skills of the pairs and then `negatives`).
    """
    right = collections.defaultdict(set)
    for pair in pairs:
        right[pair['text'].casefold()].add(pair['skill'])
    skills = [pair['skill'] for pair in pairs] + list(negatives)
    rights = [right[pair['text'].casefold()] | {pair['skill']} for pair in pairs]
    return torch.tensor([[skill in own for skill in skills] for own in rights])


def loss_of(batch, model, first, tokenizer, keep):
    pairs, negatives = batch
    texts = models.tokens(tokenizer, [pair['text'] for pair in pairs], TEXT_TOKENS)
    skills = models.tokens(tokenizer, [pair['document'] for pair in pairs] + list(negatives.values()), SKILL_TOKENS)
    count = len(pairs)
    q = models.vectors_by_length(model, texts, 48)
    d = models.vectors_by_length(model, skills[:count], 48)
    with torch.no_grad():
        before = models.vectors_by_length(first, skills)
        same = (before[:count] @ before.T > SAME) | known_right(pairs, negatives)
        same[torch.arange(count), torch.arange(count)] = False
    # Hard negatives stay where the first model puts them, which `keep` makes nearly right and a third of the cost.
    others = torch.cat([d, before[count:]])
    right = torch.arange(count)
    loss = 0
    for values, weight in ((q.shape[1], 1.0), (CUT, CUT_WEIGHT)):
        scores = SCALE * F.normalize(q[:, :values], dim=1) @ F.normalize(others[:, :values], dim=1).T
        scores = scores.masked_fill(same, -1e4)
        back = F.cross_entropy(scores[:, :count].T, right)
        loss = loss + weight * (F.cross_entropy(scores, right) + REVERSE_WEIGHT * back)
    return loss + keep * (1 - (d * before[:count]).sum(1)).mean()


if __name__ == '__main__':
    main()
