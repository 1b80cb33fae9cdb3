"""The course of a training run: its options, how long it takes, its learning rate and its checkpoints."""

import collections
import random
import time

import torch

import models

CHECKPOINT_SECONDS = 300
LEAST_RATE = 0.03  # of the highest, at the end


def add_options(parser, minutes, batch, rate):
    """Adds the options that every run has, with their defaults."""
    parser.add_argument('--minutes', type=float, default=minutes, help=f'how long to train (default {minutes})')
    parser.add_argument('--steps', type=int, default=0, help='train so many steps instead, for tests')
    parser.add_argument('--batch', type=int, default=batch, help=f'texts a step (default {batch})')
    parser.add_argument('--rate', type=float, default=rate, help=f'highest learning rate (default {rate:g})')
    parser.add_argument('--seed', type=int, default=1)


def seed(args):
    random.seed(args.seed)
    torch.manual_seed(args.seed)


def run(model, args, like, losses_of_step, warm_up, tell_every):
    """Trains the open parameters of a model, and writes it to `args.out`, with the configuration of the folder `like`.

    `losses_of_step` gives the losses of the next batch by name; their sum is what is made smaller. The learning rate
    rises for `warm_up` steps, then falls with the time. The mean losses are printed every `tell_every` steps.
    """
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=args.rate, weight_decay=0.01)
    model.train()
    began = saved = time.time()
    step = 0
    told = collections.Counter()
    while True:
        done = step / args.steps if args.steps else (time.time() - began) / (args.minutes * 60)
        if done >= 1:
            break
        for group in optimizer.param_groups:
            group['lr'] = args.rate * min(1, (step + 1) / warm_up) * max(LEAST_RATE, 1 - done)
        losses = losses_of_step()
        optimizer.zero_grad()
        sum(losses.values()).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        step += 1
        told.update({name: loss.item() for name, loss in losses.items()})
        if step % tell_every == 0:
            means = ', '.join(f'{name} {value / tell_every:.3f}' for name, value in told.items())
            print(f'step {step}, {means}, {(time.time() - began) / step:.2f} s a step', flush=True)
            told.clear()
        if time.time() - saved > CHECKPOINT_SECONDS:
            models.save(model, args.out, like)
            saved = time.time()
    models.save(model, args.out, like)
    print(f'{step} steps in {time.time() - began:.0f} s')
