"""Fits the classifier, and writes data/classifier.json and data/classifier.bin. See README.md.

    python scripts/classify/fit.py features.jsonl data
"""

import argparse
import json
import pathlib

import numpy as np
import torch

# Chosen by cross-validation.
VECTOR_WEIGHT = 1.5
PENALTY = 5e-5
STEPS = 60
FOLDS = 5
# What a category's labels should be right by, in cross-validation.
PRECISION = 0.85
# A category with few examples is judged as if it also had this many labels, right by PRIOR.
PRIOR_LABELS = 6
PRIOR = 0.8
LEAST_THRESHOLD = 0.25
MOST_LABELS = 3


def read(path):
    with open(path, encoding="utf-8") as file:
        header = json.loads(next(file))
        examples = [json.loads(line) for line in file]
    category = {slug: i for i, slug in enumerate(header["categories"])}
    number = {term: i for i, term in enumerate(header["terms"])}
    rarity = np.array(header["rarities"], "f4")
    vectors = np.array([e["vector"] for e in examples], "f4")
    terms = np.zeros((len(examples), len(number)), "f4")
    labels = np.zeros((len(examples), len(category)), "f4")
    for i, example in enumerate(examples):
        for term, weight in example["terms"].items():
            if term in number:
                terms[i, number[term]] = weight * rarity[number[term]]
        labels[i, [category[slug] for slug in example["fits"]]] = 1
    terms /= np.maximum(1e-9, np.linalg.norm(terms, axis=1, keepdims=True))
    is_own = np.array([e["kind"] == "own" for e in examples])
    return header, np.hstack([vectors * VECTOR_WEIGHT, terms]), labels, is_own


def fit(features, labels):
    """One logistic regression a category. Works in the span of the examples, of which there are fewer than features:
    with features = L Q (Q orthonormal) the penalty on the weights is that on v."""
    count = len(features)
    gram = (features @ features.T).astype("f8") + 1e-5 * np.eye(count)
    lower = torch.tensor(np.linalg.cholesky(gram).astype("f4"))
    target = torch.tensor(labels)
    v = torch.zeros(count, labels.shape[1], requires_grad=True)
    bias = torch.full((labels.shape[1],), -4.0, requires_grad=True)
    optimizer = torch.optim.LBFGS([v, bias], max_iter=STEPS, history_size=10, line_search_fn="strong_wolfe")

    def loss():
        optimizer.zero_grad()
        logits = lower @ v + bias
        entropy = torch.nn.functional.binary_cross_entropy_with_logits(logits, target, reduction="sum") / count
        total = entropy + PENALTY * (v**2).sum()
        total.backward()
        return total

    optimizer.step(loss)
    weights = features.T @ torch.linalg.solve_triangular(lower.T, v.detach(), upper=True).numpy()
    return weights, bias.detach().numpy()


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def held_out(features, labels, is_own):
    """The probabilities of each labelled example by weights that were fitted without it."""
    fold = np.random.default_rng(0).permutation(len(features)) % FOLDS
    fold[is_own] = -1
    found = np.zeros_like(labels)
    for i in range(FOLDS):
        weights, bias = fit(features[fold != i], labels[fold != i])
        found[fold == i] = sigmoid(features[fold == i] @ weights + bias)
    return found[~is_own], labels[~is_own]


def choose_thresholds(probabilities, labels):
    """For each category the lowest threshold from which on it is precise enough."""
    # Only the likeliest of an example can be given.
    rank = (-probabilities).argsort(1).argsort(1)
    thresholds = np.ones(labels.shape[1])
    for c in range(labels.shape[1]):
        considered = rank[:, c] < MOST_LABELS
        order = np.argsort(-probabilities[considered, c])
        sorted_probabilities = probabilities[considered, c][order]
        right = np.cumsum(labels[considered, c][order])
        given = np.arange(1, len(order) + 1)
        precise = (right + PRIOR * PRIOR_LABELS) / (given + PRIOR_LABELS)
        # The prior alone is not precise enough: a category without right examples is never given.
        enough = np.where((precise >= PRECISION) & (sorted_probabilities >= LEAST_THRESHOLD))[0]
        thresholds[c] = sorted_probabilities[enough[-1]] if len(enough) > 0 else 0.999
    return np.maximum(np.floor(thresholds * 1000) / 1000, LEAST_THRESHOLD)


def report(name, probabilities, labels, thresholds):
    rank = (-probabilities).argsort(1).argsort(1)
    given = (probabilities >= thresholds) & (rank < MOST_LABELS)
    right = (given * labels).sum(0)
    count = given.sum(0)
    present = count > 0
    micro = right.sum() / max(1, count.sum())
    macro = (right[present] / count[present]).mean()
    with_label = given.any(1).mean()
    print(
        f"{name}: precision {micro:.3f} (mean of {present.sum()} categories {macro:.3f}), "
        f"recall {right.sum() / labels.sum():.3f}, skills with a label {with_label:.3f}, labels {count.sum()}",
        flush=True,
    )


def quantised(weights):
    """Bytes, and a scale for each category. Weights: features x categories."""
    scales = np.abs(weights).max(0) / 127
    scales[scales == 0] = 1
    return np.clip(np.round(weights / scales), -127, 127).astype("i1"), scales


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("features")
    parser.add_argument("folder", nargs="?")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    header, features, labels, is_own = read(arguments.features)
    print(f"{(~is_own).sum()} labelled skills, {is_own.sum()} texts of our own", flush=True)

    probabilities, truth = held_out(features, labels, is_own)
    half = np.random.default_rng(1).permutation(len(truth)) % 2 == 0
    for name, one, other in (("first half", half, ~half), ("second half", ~half, half)):
        report(name, probabilities[one], truth[one], choose_thresholds(probabilities[other], truth[other]))
    thresholds = choose_thresholds(probabilities, truth)
    report("all (thresholds of the same)", probabilities, truth, thresholds)
    if arguments.folder is None:
        return

    weights, bias = fit(features, labels)
    dimensions = features.shape[1] - len(header["terms"])
    vector_bytes, vector_scales = quantised(weights[:dimensions] * VECTOR_WEIGHT)
    term_bytes, term_scales = quantised(weights[dimensions:])
    table = {
        "model": header["model"],
        "dimensions": dimensions,
        "categories": header["categories"],
        "biases": [round(float(x), 4) for x in bias],
        "thresholds": [round(float(x), 3) for x in thresholds],
        "vectorScales": [float(f"{x:.6g}") for x in vector_scales],
        "termScales": [float(f"{x:.6g}") for x in term_scales],
        "terms": header["terms"],
        "rarities": header["rarities"],
    }
    folder = pathlib.Path(arguments.folder)
    text = ",\n".join(f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in table.items())
    (folder / "classifier.json").write_text("{\n" + text + "\n}\n", encoding="utf-8")
    (folder / "classifier.bin").write_bytes(vector_bytes.T.tobytes() + term_bytes.tobytes())


main()
