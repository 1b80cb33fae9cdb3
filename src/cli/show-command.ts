import type { SimilarSkill, SkillContents, SkillDetails, SkillInstallation, SkillSearch } from '../index.js';
import { addPlaceOptions, jsonOption, type PlaceFlags, parseInteger, placeOf } from './options.js';
import { manyLines, oneLine, printJson, printLines } from './output.js';
import type { SetUp } from './run.js';
import { openSearch } from './search-options.js';
import { ageOf, grouped, type Styles, stylesFor } from './text-columns.js';

interface ShowFlags extends PlaceFlags {
  readonly json?: true;
  readonly localPaths?: true;
  readonly contents?: true;
  readonly raw?: string;
  readonly similar?: number | true;
}

/** Copies that are listed. Some skills have hundreds; `--json` has all. */
const COPIES_SHOWN = 10;

export const setUp: SetUp = (command, output) => {
  addPlaceOptions(command.argument('<id>', 'the id of the skill, as search prints it'))
    .option('--local-paths', 'tell the folder that it was loaded from, and where it is installed')
    .option('--contents', 'list the files that the skill is made of, with sizes and SHA-256, instead of their texts')
    .option('--raw <path>', 'print nothing but the bytes of one of these files, as they are')
    .option(
      '--similar [n]',
      'list the skills nearest to it instead of its files: 10, or so many, 1 to 100; needs vectors, but no model',
      parseInteger,
    )
    .addOption(jsonOption())
    .action(async (id: string, flags: ShowFlags) => {
      const { raw, similar: wanted, localPaths, json } = flags;
      // What third parties wrote could move the cursor or worse.
      if (raw !== undefined && output.out.isTTY === true)
        throw new Error('--raw prints to a file or a program only, such as `--raw PATH > FILE`');
      await using search = await openSearch({ ...placeOf(command, flags), localPaths }, output);
      const skill = search.get(id);
      if (skill === undefined) throw new Error(`no skill has the id ${JSON.stringify(id)}`);
      if (raw !== undefined) {
        const { bytes, isExcerpt } = rawFile(search, id, raw);
        if (isExcerpt) output.error.write(`note: ${oneLine(raw)} is an excerpt: the whole file is not stored\n`);
        output.out.write(bytes);
        return;
      }
      const copies = search.copiesOf(id).filter((copy) => copy !== id);
      const contents = flags.contents === true ? search.contents(id) : undefined;
      const limit = wanted === true ? undefined : wanted;
      const similar = wanted === undefined ? undefined : await search.similar(id, { limit });
      const files = contents === undefined && similar === undefined ? search.files(id) : undefined;
      if (json === true) return printJson(output, { skill, files, contents, similar, copies });
      const styles = stylesFor(output.out);
      printLines(output, [
        ...skillLines(skill, copies, styles),
        ...(contents === undefined ? [] : contentLines(contents, styles)),
        ...(similar === undefined ? [] : similarLines(similar, styles)),
        ...(files ?? []).flatMap(({ filename, text }) => ['', styles.dim(`--- ${oneLine(filename)}`), manyLines(text)]),
      ]);
    });
};

function rawFile(search: SkillSearch, id: string, path: string): { readonly bytes: Uint8Array; isExcerpt: boolean } {
  const file = search.contents(id)?.files.find((candidate) => candidate.path === path);
  if (file === undefined) throw new Error(`the skill has no file ${JSON.stringify(path)}: --contents lists them`);
  const bytes = search.read(id, path);
  if (bytes === undefined) throw new Error(`the bytes of ${JSON.stringify(path)} are not stored`);
  return { bytes, isExcerpt: !file.complete };
}

function skillLines(skill: SkillDetails, copies: readonly string[], styles: Styles): string[] {
  const updated = skill.updatedAt === 0 ? 'unknown' : `${isoDate(skill.updatedAt)} (${ageOf(skill.updatedAt)})`;
  const categories = [...skill.categories, ...(skill.derivedCategories ?? []).map((slug) => `${slug} (derived)`)];
  const facts: [string, string | undefined][] = [
    ['id', skill.id],
    ['author', skill.author],
    ['stars', grouped(skill.stars)],
    ['updated', updated],
    ['code', skill.codehostUrl],
    ['page', skill.skillUrl],
    ['folder', skill.localPath],
    ['categories', categories.join(', ') || undefined],
    ['occupations', skill.occupations.join(', ') || undefined],
    ['license', skill.license],
    ['compatibility', skill.compatibility],
    ['tools', skill.allowedTools],
    ['called by', skill.invocable === false ? 'users only' : undefined],
    ...otherFrontMatter(skill),
  ];
  const lines = [styles.bold(oneLine(skill.name)), '', manyLines(skill.description), ''];
  const add = (label: string, value: string): void => {
    lines.push(`${styles.dim(`${label.padEnd(14)} `)}${oneLine(value)}`);
  };
  for (const [label, value] of facts) if (value !== undefined) add(label, value);
  for (const [i, one] of (skill.installations ?? []).entries()) add(i === 0 ? 'installed' : '', installationText(one));
  for (const [i, copy] of copies.slice(0, COPIES_SHOWN).entries()) add(i === 0 ? 'copies' : '', copy);
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
