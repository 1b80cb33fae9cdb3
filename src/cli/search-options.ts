import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type CopyMode,
  type DamagedSkill,
  FACETS,
  type Facet,
  type OpenOptions,
  openSkillSearch,
  SKILL_SCOPES,
  type SkillFilters,
  type SkillSearch,
  type Time,
} from '../index.js';
import { choiceOption, type PlaceFlags, parseInteger, pick, sayWaiting } from './options.js';
import { type Output, oneLine } from './output.js';

/** Flags of the commands that print pages of skills. */
export interface PageFlags extends SkillFilters, PlaceFlags {
  readonly json?: true;
  readonly page?: number;
  readonly limit: number;
  readonly copies?: CopyMode;
  readonly facets?: readonly Facet[];
  readonly localPaths?: true;
}

/** Adds the options that filter skills. */
export function addFilters(command: Command): Command {
  return command
    .option('--category <slug>', 'only skills of this category')
    .option(
      '--occupation <slug>',
      'only skills of this occupation, with or without its SOC code, or of a group (15-0000)',
    )
    .option('--author <name>', 'only skills of this author: the whole user name, in upper or lower case')
    .option('--license <name>', 'only skills that state this license, in upper or lower case: MIT')
    .option('--min-stars <n>', 'only skills with as many stars or more', parseInteger)
    .option('--updated-after <time>', 'only skills that were updated at this time or later: 2026-01-31', parseTime)
    .option('--updated-before <time>', 'only skills that were updated before this time: 2026-01-31T12:00Z', parseTime)
    .option('--agent <name>', 'only skills that were read from a folder of this agent: claude-code')
    .addOption(choiceOption('--scope <scope>', 'only skills that were read from a folder of this scope', SKILL_SCOPES))
    .option('--invocable', 'only skills that a model may call')
    .option('--no-invocable', 'only skills that are left to users');
}

/** The filters of a query: flags have the same names. */
export function filtersOf(flags: SkillFilters): SkillFilters {
  const labels = pick(flags, 'category', 'occupation', 'author', 'license', 'agent', 'scope', 'invocable');
  return { ...labels, ...pick(flags, 'minStars', 'updatedAfter', 'updatedBefore') };
}

/** A year, or a date without hyphens: as Unix seconds they are times in 1970, which nobody means. */
const NO_SECONDS = /^(?:19|20)\d\d(?:[01]\d[0-3]\d)?$/;

/** Decimal Unix seconds as a number. Any other text stays as it is: the library reads dates and times. */
function parseTime(value: string): Time {
  if (NO_SECONDS.test(value)) throw new InvalidArgumentError('It must be a whole date, such as 2026-01-31.');
  return /^\d{1,11}$/.test(value) ? Number(value) : value;
}

/** Parses names of facets with commas between them. */
function parseFacets(value: string): readonly Facet[] {
  return value.split(',').map((name) => {
    const facet = FACETS.find((one) => one === name.trim());
    if (facet === undefined) throw new InvalidArgumentError(`Allowed are ${FACETS.join(', ')}, with commas between.`);
    return facet;
  });
}

/** @param mode that the option belongs to, if it is of one only */
export function facetsOption(mode = ''): Option {
  return new Option('--facets <names>', `${mode}count the skills found by ${FACETS.join(', ')}`).argParser(parseFacets);
}

/** Opens a catalogue, and says on standard error what it waits for, and why answers from a local copy may be old. */
export async function openSearch(options: OpenOptions, output: Output): Promise<SkillSearch> {
  const search = await sayWaiting(options.database, output, openSkillSearch(options));
  for (const { message } of search.problems.warnings) output.error.write(`${oneLine(message)}\n`);
  return search;
}

/** Says on standard error which skills an answer lacks. */
export function tellDamaged(damaged: readonly DamagedSkill[] | undefined, { error }: Output): void {
  for (const { id = 'without a readable id', reason } of damaged ?? []) {
    error.write(`${oneLine(`damaged: the skill ${id}: ${reason}; load its source again`)}\n`);
  }
}
