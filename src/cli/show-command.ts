import { openSkillSearch, type SkillDetails, type SkillFile } from '../index.js';
import { ageOf } from './age.js';
import { databaseOption, jsonOption } from './common-options.js';
import { type Output, printJson, printLines } from './output.js';
import type { SetUp } from './set-up.js';
import { type Styles, stylesFor } from './styles.js';
import { manyLines, oneLine } from './terminal-text.js';

interface ShowFlags {
  readonly database: string;
  readonly json?: true;
  readonly localPaths?: true;
}

/** Copies that are listed. Some skills have hundreds; `--json` has all. */
const COPIES_SHOWN = 10;

export const setUpShow: SetUp = (command, output) => {
  command
    .argument('<id>', 'the id of the skill, as search prints it')
    .addOption(databaseOption())
    .option('--local-paths', 'tell the folder that it was loaded from')
    .addOption(jsonOption())
    .action((id: string, flags: ShowFlags) => show(id, flags, output));
};

async function show(id: string, flags: ShowFlags, output: Output): Promise<void> {
  const { skill, files, copies } = await findSkill(id, flags);
  if (skill === undefined) throw new Error(`no skill has the id ${JSON.stringify(id)}`);
  if (flags.json === true) printJson(output, { skill, files, copies });
  else printLines(output, skillLines(skill, files, copies, stylesFor(output.out)));
}

interface FoundSkill {
  readonly skill: SkillDetails | undefined;
  readonly files: readonly SkillFile[];
  /** Ids of the copies of the skill, without its own. */
  readonly copies: readonly string[];
}

async function findSkill(id: string, { database, localPaths }: ShowFlags): Promise<FoundSkill> {
  const search = await openSkillSearch({ database, keywordIndex: false, localPaths });
  try {
    const copies = search.copiesOf(id).filter((copy) => copy !== id);
    return { skill: search.get(id), files: search.files(id), copies };
  } finally {
    await search.close();
  }
}

function skillLines(
  skill: SkillDetails,
  files: readonly SkillFile[],
  copies: readonly string[],
  styles: Styles,
): string[] {
  const updated = skill.updatedAt === 0 ? 'unknown' : `${isoDate(skill.updatedAt)} (${ageOf(skill.updatedAt)})`;
  const facts: [string, string | undefined][] = [
    ['id', skill.id],
    ['author', skill.author],
    ['stars', skill.stars.toLocaleString('en')],
    ['updated', updated],
    ['code', skill.codehostUrl],
    ['page', skill.skillUrl],
    ['folder', skill.localPath],
    ['categories', skill.categories.join(', ') || undefined],
    ['occupations', skill.occupations.join(', ') || undefined],
    ['license', skill.license],
    ['compatibility', skill.compatibility],
    ['tools', skill.allowedTools],
    ...otherFrontMatter(skill),
  ];
  const lines = [styles.bold(oneLine(skill.name)), '', manyLines(skill.description), ''];
  for (const [label, value] of facts) {
    if (value !== undefined) lines.push(`${styles.dim(`${label.padEnd(14)} `)}${oneLine(value)}`);
  }
  for (const [i, copy] of copies.slice(0, COPIES_SHOWN).entries()) {
    lines.push(`${styles.dim((i === 0 ? 'copies' : '').padEnd(15))}${oneLine(copy)}`);
  }
  if (copies.length > COPIES_SHOWN) lines.push(`${''.padEnd(15)}and ${copies.length - COPIES_SHOWN} more`);
  for (const { filename, text } of files) lines.push('', styles.dim(`--- ${oneLine(filename)}`), manyLines(text));
  return lines;
}

/** Keys of the front matter that the fields of a skill say. */
const SAID_ELSEWHERE =
  /^(?:name|description|license|compatibility|allowed[-_]?tools|tags?|categor(?:y|ies)|occupations?)$/i;

function otherFrontMatter({ frontMatter = {} }: SkillDetails): [key: string, value: string][] {
  const others = Object.entries(frontMatter).filter(([key, value]) => !SAID_ELSEWHERE.test(key) && value !== null);
  return others.map(([key, value]) => [oneLine(key), typeof value === 'string' ? value : JSON.stringify(value)]);
}

function isoDate(unixSeconds: number): string {
  const date = new Date(unixSeconds * 1000);
  return Number.isNaN(date.getTime()) ? String(unixSeconds) : date.toISOString().slice(0, 10);
}
