import { InvalidArgumentError, Option } from 'commander';
import type { PublishRule } from '../http/index.js';

/** Labels by which skills can be chosen. */
const LABELS = ['category', 'occupation', 'author', 'license', 'agent', 'scope'] as const;

/** `--publish`, which may be repeated. */
export function publishOption(): Option {
  const description =
    'publish skills for installers: all, folders (those without a repository), or LABEL:VALUE such as category:testing (repeatable)';
  return new Option('--publish <what>', description).argParser(collectRules);
}

function collectRules(value: string, previous: readonly PublishRule[] = []): readonly PublishRule[] {
  return [...previous, ruleOf(value)];
}

function ruleOf(value: string): PublishRule {
  if (value === 'all' || value === 'folders') return value;
  const colon = value.indexOf(':');
  const label = LABELS.find((one) => one === value.slice(0, colon));
  if (label === undefined || colon === value.length - 1) {
    throw new InvalidArgumentError(`It must be all, folders, or one of ${LABELS.join(', ')} with : and a value.`);
  }
  return { [label]: value.slice(colon + 1) };
}
