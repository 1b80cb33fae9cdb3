"""Teaches a multilingual student to put a text where the teacher puts its English wording.

    python distil.py TEACHER STUDENT PARALLEL.jsonl OUT --pairs PAIRS.jsonl --bridge 6,4 --minutes 60

TEACHER reads English (skill-minilm), STUDENT many languages (what `base.py` writes, or OUT of an earlier run, which
goes on from there). PARALLEL.jsonl has {"language", "text", "english"}, as `parallel.py` writes it. PAIRS.jsonl is what
`skill-discovery tune pairs` writes: its written requests are parallel text too, and its documents English to stay at.
OUT becomes a float folder; a checkpoint is written there every five minutes.

The teacher's vectors are targets, so questions of any language are compared with the vectors of skills that the teacher
made, and nothing is embedded twice (Reimers and Gurevych, "Making monolingual sentence embeddings multilingual using
knowledge distillation", 2020). With `--bridge 6,4` the new student has the lowest 6 layers of STUDENT, which bring
languages together, and the layers of TEACHER from number 4 on, which make its vectors. A linear bridge between them is
solved for by ridge regression on the words of English texts, so training begins near the goal: before its first step
such a student finds as much as a student with a linear head does after training on 38,000 texts.

The loss is the distance from the target, the cross-entropy between the similarities of teacher and student to the
other targets of the batch, and for a written request the cross-entropy of its skill among others.
"""

import argparse
import collections
import copy
import json
import random
import re

import numpy as np
import torch
import torch.nn.functional as F

import models
import training

SCALE = 30.0
LONGEST = 80  # tokens
SAME = 0.95  # targets at least so alike are one
BANK = 4096  # documents that all requests are compared with
# What a batch is made of: parallel text, written requests in other languages, English requests, English documents.
SHARES = {'parallel': 0.5, 'request': 0.25, 'english': 0.09, 'document': 0.16}
# Languages of parallel text, by how often they are drawn. Those that people ask in most, and those far from English.
OFTEN = {'zh': 3, 'ja': 2.5, 'ko': 2, 'ru': 2, 'ar': 2, 'hi': 2, 'es': 1.6, 'de': 1.5, 'fr': 1.5, 'pt': 1.5, 'tr': 1.3}
OFTEN |= {'it': 1.2, 'vi': 1.2, 'pl': 1, 'nl': 0.8, 'id': 0.8}
RARELY = 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('teacher')
    parser.add_argument('student')
    parser.add_argument('parallel')
    parser.add_argument('out')
    parser.add_argument('--pairs', help='pairs of `tune pairs`')
    parser.add_argument('--bridge', help='A,B: begin with A layers of STUDENT and those of TEACHER from B on')
    parser.add_argument('--frozen', type=int, default=2, help='lowest layers that stay as they are (default 2)')
    training.add_options(parser, minutes=60, batch=128, rate=2e-4)
    args = parser.parse_args()
    training.seed(args)
    teacher, teacher_tokenizer = models.load(args.teacher)
    teacher.eval()
    student, tokenizer = models.load(args.student)
    if args.bridge and hasattr(student, 'bridge'):
        raise SystemExit(f'{args.student} has a bridge already: leave --bridge out to go on training it')
    texts = Texts(args.parallel, args.pairs)
    if args.bridge:
        below, above = (int(number) for number in args.bridge.split(','))
        build_bridge(student, tokenizer, teacher, teacher_tokenizer, below, above, texts.english_samples(3000))
    for part in (student.embeddings, *student.encoder.layer[: args.frozen]):
        for parameter in part.parameters():
            parameter.requires_grad = False
    targets = lambda english: torch.from_numpy(models.embed(teacher, teacher_tokenizer, english, LONGEST))
    bank = targets(random.sample(texts.documents, min(BANK, len(texts.documents))))
    waiting = []

    def step():
        if not waiting:
            waiting.extend(texts.batches(args.batch, 8))
        batch = waiting.pop()
        ids = models.tokens(tokenizer, [row.text for row in batch], LONGEST)
        vectors = models.vectors_by_length(student, ids, args.batch)
        losses = loss_of(vectors, targets([row.english for row in batch]), bank)
        requests = [i for i, row in enumerate(batch) if row.document]
        if len(requests) > 1:
            right = targets([batch[i].document for i in requests])
            share = len(requests) / len(batch)
            losses['request'] = 0.3 * share * request_loss(vectors[requests], right, bank)
        return losses

    training.run(student, args, args.student, step, warm_up=60, tell_every=50)


# A text, its English wording, and for a written request the English document of its skill.
Row = collections.namedtuple('Row', ['text', 'english', 'document'], defaults=[None])


class Texts:
    """Rows of every source, drawn in the shares that SHARES gives."""

    def __init__(self, parallel, pairs):
        self.parallel = collections.defaultdict(list)
        with open(parallel, encoding='utf-8') as file:
            for line in file:
                row = json.loads(line)
                if len(row['text']) <= 260 and len(row['english']) <= 260:
                    self.parallel[row['language']].append(Row(row['text'], row['english']))
        self.requests, self.english, documents = [], [], set()
        if pairs:
            with open(pairs, encoding='utf-8') as file:
                for line in file:
                    row = json.loads(line)
                    documents.add(row['document'])
                    if row['kind'] != 'request':
                        continue
                    english = row.get('english') or row['text']
                    self.english.append(Row(english, english, row['document']))
                    if 'english' in row:
                        self.requests.append(Row(row['text'], english, row['document']))
        self.documents = sorted(documents) or [row.english for rows in self.parallel.values() for row in rows]
        if not self.parallel:
            raise SystemExit(f'{parallel} has no texts')
        self.languages = sorted(self.parallel)
        self.weights = [OFTEN.get(language, RARELY) for language in self.languages]

    def draw(self):
        [kind] = random.choices(list(SHARES), list(SHARES.values()))
        if kind == 'request' and self.requests:
            return random.choice(self.requests)
        if kind == 'english' and self.english:
            return random.choice(self.english)
        if kind == 'document':
            document = random.choice(self.documents)[:300]
            return Row(document, document)
        [language] = random.choices(self.languages, self.weights)
        return random.choice(self.parallel[language])

    def english_samples(self, count):
        """Short English texts, documents and requests."""
        rows = [document[:200] for document in random.sample(self.documents, min(count // 2, len(self.documents)))]
        return rows + [row.english for row in random.sample(self.english, min(count // 2, len(self.english)))]

    def batches(self, size, count):
        """Batches whose texts are of like length, in random order."""
        rows = sorted((self.draw() for _ in range(size * count)), key=lambda row: len(row.text.encode()))
        batches = [rows[start : start + size] for start in range(0, len(rows), size)]
        random.shuffle(batches)
        return batches


def build_bridge(student, tokenizer, teacher, teacher_tokenizer, below, above, texts):
    """Puts layers of the teacher on layers of the student. See the head of this file."""
    x, y = [], []
    lower = hidden_states(student, tokenizer, texts, below)
    upper = hidden_states(teacher, teacher_tokenizer, texts, above)
    for text, (offsets, states), (teacher_offsets, teacher_states) in zip(texts, lower, upper):
        words = [found.span() for found in re.finditer(r'\w+|[^\w\s]', text)]
        pieces = zip(pieces_of(words, offsets), pieces_of(words, teacher_offsets))
        for mine, theirs in pieces:
            if mine and theirs:
                x.append(states[mine].mean(0))
                y.append(teacher_states[theirs].mean(0))
        # The tokens before and after the text.
        x += [states[0], states[-1]]
        y += [teacher_states[0], teacher_states[-1]]
    x, y = np.array(x, np.float64), np.array(y, np.float64)
    x_mean, y_mean = x.mean(0), y.mean(0)
    x -= x_mean
    squares = x.T @ x
    ridge = 0.003 * np.trace(squares) / len(squares)
    weight = np.linalg.solve(squares + ridge * np.eye(len(squares)), x.T @ (y - y_mean))
    layers = [*student.encoder.layer[:below], *copy.deepcopy(teacher.encoder.layer[above:])]
    student.encoder.layer = torch.nn.ModuleList(layers)
    models.add_bridge(student, below)
    student.bridge.weight.data = torch.from_numpy(weight.T.astype(np.float32).copy())
    student.bridge.bias.data = torch.from_numpy((y_mean - x_mean @ weight).astype(np.float32))


def hidden_states(model, tokenizer, texts, layers):
    """For each text the places of its tokens in it, and their states after so many layers, (tokens, values)."""
    whole = model.encoder.layer
    model.encoder.layer = whole[:layers]
    model.eval()
    encodings = tokenizer.encode_batch(texts)
    out = []
    with torch.no_grad(), torch.autocast('cpu', dtype=torch.bfloat16):
        for encoding in encodings:
            states = model(torch.tensor([encoding.ids])).last_hidden_state[0].float().numpy()
            out.append((encoding.offsets, states))
    model.encoder.layer = whole
    return out


def pieces_of(words, offsets):
    """For each word the numbers of the tokens that end in it."""
    out = [[] for _ in words]
    for number, (start, end) in enumerate(offsets):
        for word, (first, last) in enumerate(words):
            if start < end and first < end <= last:
                out[word].append(number)
                break
    return out


def loss_of(vectors, target, bank):
    others = torch.cat([target, bank])
    same = target @ target.T > SAME
    same.fill_diagonal_(False)
    hidden = torch.zeros(len(target), len(others), dtype=torch.bool)
    hidden[:, : len(target)] = same
    wanted = F.softmax((SCALE * target @ others.T).masked_fill(hidden, -1e4), 1)
    found = F.log_softmax((SCALE * vectors @ others.T).masked_fill(hidden, -1e4), 1)
    return {'distance': 3 * (1 - (vectors * target).sum(1)).mean(), 'order': -0.1 * (wanted * found).sum(1).mean()}


def request_loss(vectors, right, bank):
    others = torch.cat([right, bank])
    same = right @ others.T > 0.85
    same[torch.arange(len(right)), torch.arange(len(right))] = False
    scores = (SCALE * vectors @ others.T).masked_fill(same, -1e4)
    return F.cross_entropy(scores, torch.arange(len(right)))


if __name__ == '__main__':
    main()
