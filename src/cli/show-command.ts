import type { SimilarSkill, SkillContents, SkillDetails, SkillFile, SkillInstallation } from '../index.js';
import { addCatalogueOptions, type CataloguePlace, jsonOption, parseInteger, placeOf, withPlace } from './options.js';
import type { SetUp } from './output.js';
import { manyLines, type Output, oneLine, printJson, printLines } from './output.js';
import { openSearch } from './search-options.js';
import { ageOf, grouped, type Styles, stylesFor } from './text-columns.js';

interface ShowFlags extends CataloguePlace {
  readonly json?: true;
  readonly localPaths?: true;
  readonly contents?: true;
  readonly raw?: string;
  readonly similar?: number | true;
}

/** Copies that are listed. Some skills have hundreds; `--json` has all. */
const COPIES_SHOWN = 10;

export const setUpShow: SetUp = (command, output) => {
  addCatalogueOptions(command.argument('<id>', 'the id of the skill, as search prints it'))
    .option('--local-paths', 'tell the folder that it was loaded from, and where it is installed')
    .option('--contents', 'list the files that the skill is made of, with sizes and SHA-256, instead of their texts')
    .option('--raw <path>', 'print nothing but the bytes of one of these files, as they are')
    .option(
      '--similar [n]',
      'list the skills nearest to it instead of its files: 10, or so many, 1 to 100; needs vectors, but no model',
      parseInteger,
    )
    .addOption(jsonOption())
    .action((id: string, flags: ShowFlags) => show(id, withPlace(command, flags), output));
};

async function show(id: string, flags: ShowFlags, output: Output): Promise<void> {
  if (flags.raw !== undefined) return showRaw(id, flags.raw, flags, output);
  const { skill, files, copies, contents, similar } = await findSkill(id, flags, output);
  if (skill === undefined) throw noSkill(id);
  const shown = similar === undefined && contents === undefined ? { files } : { files: undefined, contents, similar };
  if (flags.json === true) return printJson(output, { skill, ...shown, copies });
  const styles = stylesFor(output.out);
  printLines(output, [
    ...skillLines(skill, copies, styles),
    ...(contents === undefined ? [] : contentLines(contents, styles)),
    ...(similar === undefined ? [] : similarLines(similar, styles)),
    ...(shown.files === undefined ? [] : textLines(files, styles)),
  ]);
}

async function showRaw(id: string, path: string, flags: ShowFlags, output: Output): Promise<void> {
  // What third parties wrote could move the cursor or worse.
  if (output.out.isTTY === true)
    throw new Error('--raw prints to a file or a program only, such as `--raw PATH > FILE`');
  const search = await openSearch({ ...placeOf(flags) }, output);
  try {
    const contents = search.contents(id);
    if (contents === undefined) throw noSkill(id);
    const file = contents.files.find((candidate) => candidate.path === path);
    if (file === undefined) throw new Error(`the skill has no file ${JSON.stringify(path)}: --contents lists them`);
    const bytes = search.read(id, path);
    if (bytes === undefined) throw new Error(`the bytes of ${JSON.stringify(path)} are not stored`);
    if (!file.complete) output.error.write(`note: ${oneLine(path)} is an excerpt: the whole file is not stored\n`);
    output.out.write(bytes);
  } finally {
    await search.close();
  }
}

function noSkill(id: string): Error {
  return new Error(`no skill has the id ${JSON.stringify(id)}`);
}

interface FoundSkill {
  readonly skill: SkillDetails | undefined;
  readonly files: readonly SkillFile[];
  /** Ids of the copies of the skill, without its own. */
  readonly copies: readonly string[];
  /** Only if they were asked for. */
  readonly contents: SkillContents | undefined;
  /** Likewise. */
  readonly similar: readonly SimilarSkill[] | undefined;
}

async function findSkill(id: string, flags: ShowFlags, output: Output): Promise<FoundSkill> {
  const { localPaths, contents: withContents, similar: wanted } = flags;
  const search = await openSearch({ ...placeOf(flags), localPaths }, output);
  try {
    const skill = search.get(id);
    const copies = search.copiesOf(id).filter((copy) => copy !== id);
    const contents = withContents === true ? search.contents(id) : undefined;
    const limit = wanted === true ? undefined : wanted;
    const similar = wanted === undefined || skill === undefined ? undefined : await search.similar(id, { limit });
    return { skill, files: search.files(id), copies, contents, similar };
  } finally {
    await search.close();
  }
}

function categoriesOf({ categories, derivedCategories = [] }: SkillDetails): string[] {
  return [...categories, ...derivedCategories.map((slug) => `${slug} (derived)`)];
}

function skillLines(skill: SkillDetails, copies: readonly string[], styles: Styles): string[] {
  const updated = skill.updatedAt === 0 ? 'unknown' : `${isoDate(skill.updatedAt)} (${ageOf(skill.updatedAt)})`;
  const facts: [string, string | undefined][] = [
    ['id', skill.id],
    ['author', skill.author],
    ['stars', grouped(skill.stars)],
    ['updated', updated],
    ['code', skill.codehostUrl],
    ['page', skill.skillUrl],
    ['folder', skill.localPath],
    ['categories', categoriesOf(skill).join(', ') || undefined],
    ['occupations', skill.occupations.join(', ') || undefined],
    ['license', skill.license],
    ['compatibility', skill.compatibility],
    ['tools', skill.allowedTools],
    ['called by', skill.invocable === false ? 'users only' : undefined],
    ...otherFrontMatter(skill),
  ];
  const lines = [styles.bold(oneLine(skill.name)), '', manyLines(skill.description), ''];
  for (const [label, value] of facts) {
    if (value !== undefined) lines.push(`${styles.dim(`${label.padEnd(14)} `)}${oneLine(value)}`);
  }
  for (const [i, installation] of (skill.installations ?? []).entries()) {
    lines.push(`${styles.dim((i === 0 ? 'installed' : '').padEnd(15))}${oneLine(installationText(installation))}`);
  }
  for (const [i, copy] of copies.slice(0, COPIES_SHOWN).entries()) {
    lines.push(`${styles.dim((i === 0 ? 'copies' : '').padEnd(15))}${oneLine(copy)}`);
  }
  if (copies.length > COPIES_SHOWN) lines.push(`${''.padEnd(15)}and ${copies.length - COPIES_SHOWN} more`);
  return lines;
}

function installationText({ agent, scope, plugin, path }: SkillInstallation): string {
  const of = plugin === undefined ? scope : `${scope} ${plugin}`;
  return `${agent} (${of})${path === undefined ? '' : ` ${path}`}`;
}

/** For each similar skill its cosine, id and name. */
function similarLines(similar: readonly SimilarSkill[], styles: Styles): string[] {
  const lines = similar.map(({ skill, score, copies }) => {
    const others = copies === 1 ? '' : `  (${copies} copies)`;
    return `${score.toFixed(3).padStart(6)}  ${oneLine(skill.id)}  ${styles.dim(oneLine(skill.name) + others)}`;
  });
  return ['', styles.dim(lines.length === 0 ? '--- no similar skills' : '--- similar skills'), ...lines];
}

function textLines(files: readonly SkillFile[], styles: Styles): string[] {
  return files.flatMap(({ filename, text }) => ['', styles.dim(`--- ${oneLine(filename)}`), manyLines(text)]);
}

function contentLines({ complete, files }: SkillContents, styles: Styles): string[] {
  const lines = files.map((file) => {
    const marks = [...(file.executable ? ['executable'] : []), ...(file.complete ? [] : ['excerpt'])];
    const size = grouped(file.size).padStart(10);
    return `${size}  ${file.sha256}  ${oneLine(file.path)}  ${[file.mediaType, ...marks].join(', ')}`;
  });
  const verdict = complete ? 'complete' : 'not complete: it cannot be given out as the skill itself';
  return ['', styles.dim(`--- contents, ${verdict}`), ...lines];
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
