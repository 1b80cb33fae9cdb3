import type { ContentRow, SkillColumns } from '../../store/index.js';
import { type ClaimRow, claimOf, type SkillImage } from '../../store/index.js';
import type { PostgresSession, RunStatement } from '../postgres/postgres-session.js';
import { readTexts } from './blob-table.js';
import { distinct, fromStoredText, inParts, SHARED_CATALOGUE_LIMITS, sharedDamage, toStoredText } from './helpers.js';

/** Skills that one statement reads. */
const TOGETHER = 1000;

interface SkillRow extends SkillColumns {
  readonly number: string;
  readonly derivedCategories: string | null;
  readonly contentsComplete: boolean | null;
  readonly hasVector: boolean;
}

interface FileRow {
  readonly skill: string;
  readonly filename: string;
  readonly sha256: Buffer;
  readonly size: number | null;
}

/**
 * Reads the images of skills, in this order, some at a time.
 *
 * @throws {SkillSearchError} `DATABASE_DAMAGED` if a skill is not there, or a text of it
 */
export async function* readImages(
  session: PostgresSession,
  shown: string,
  ids: readonly string[],
): AsyncGenerator<readonly SkillImage[]> {
  for (const part of inParts(ids, TOGETHER)) yield* readPart(session, shown, part);
}

async function* readPart(
  session: PostgresSession,
  shown: string,
  ids: readonly string[],
): AsyncGenerator<readonly SkillImage[]> {
  const { run } = session;
  const skills = new Map((await readSkills(run, ids)).map((row) => [fromStoredText(row.id), row]));
  const numbers = [...skills.values()].map(({ number }) => number);
  const files = bySkill(await readFiles(run, numbers));
  const contents = bySkill(await readContents(run, numbers));
  const claims = bySkill(await readClaims(run, numbers));
  // Whoever reads the images asks for the blobs of each batch.
  const bytesOf = (id: string): number => {
    const { number } = skills.get(id) ?? { number: '' };
    const blobs = (contents.get(number) ?? []).filter(({ kept }) => kept === 'blob');
    return [...(files.get(number) ?? []), ...blobs].reduce((sum, { size }) => sum + (size ?? 0), 0);
  };
  for (const some of inParts(ids, TOGETHER, SHARED_CATALOGUE_LIMITS.bytesTogether, bytesOf)) {
    const wanted = some.flatMap((id) => files.get(skills.get(id)?.number ?? '') ?? []).map(({ sha256 }) => sha256);
    const texts = await readTexts(session, shown, distinct(wanted));
    yield some.map((id) => {
      const row = skills.get(id);
      if (row === undefined) throw sharedDamage(shown, `the skill ${JSON.stringify(id)} is missing`, { skill: id });
      const { number } = row;
      const read = (files.get(number) ?? []).map(({ filename, sha256 }) => {
        const text = texts.get(sha256.toString('hex'));
        if (text === undefined) {
          const problem = `a text of the skill ${JSON.stringify(id)} is missing`;
          throw sharedDamage(shown, problem, { skill: id });
        }
        return { filename: fromStoredText(filename), text };
      });
      return imageOf(id, row, read, contents.get(number) ?? [], claims.get(number) ?? []);
    });
  }
}

function imageOf(
  id: string,
  row: SkillRow,
  files: SkillImage['files'],
  contents: readonly ContentRow[],
  claims: readonly ClaimRow[],
): SkillImage {
  const { stars, updatedAt, textHash, hash, derivedCategories, contentsComplete, hasVector } = row;
  return {
    columns: {
      id,
      stars,
      updatedAt,
      record: fromStoredText(row.record),
      categories: fromStoredText(row.categories),
      occupations: fromStoredText(row.occupations),
      tags: fromStoredText(row.tags),
      properties: fromStoredText(row.properties),
      copyKey: fromStoredText(row.copyKey),
      place: fromStoredText(row.place),
      textHash,
      hash,
    },
    files,
    ...(contentsComplete === null
      ? {}
      : {
          contents: {
            complete: contentsComplete,
            files: contents.map(({ path, ...file }) => ({ path: fromStoredText(path), ...file })),
          },
        }),
    ...(derivedCategories === null ? {} : { derivedCategories: fromStoredText(derivedCategories) }),
    hasVector,
    claims: claims.map(({ source, ...row }) => claimOf({ ...row, source: fromStoredText(source) })),
  };
}

function readSkills(run: RunStatement, ids: readonly string[]): Promise<SkillRow[]> {
  return run({
    text: `SELECT number, id, stars, updated_at AS "updatedAt", record, categories, occupations, tags, properties,
        copy_key AS "copyKey", place, text_hash AS "textHash", hash, derived_categories AS "derivedCategories",
        contents_complete AS "contentsComplete",
        EXISTS (SELECT FROM skill_discovery.published_vector AS published
          WHERE published.text_hash = skill.text_hash) AS "hasVector"
      FROM skill_discovery.skill WHERE id = ANY ($1)`,
    values: [ids.map(toStoredText)],
  });
}

function readFiles(run: RunStatement, numbers: readonly string[]): Promise<FileRow[]> {
  return run({
    text: `SELECT skill, filename, sha256, size FROM skill_discovery.skill_file
      LEFT JOIN skill_discovery.blob USING (sha256) WHERE skill = ANY ($1) ORDER BY skill, position`,
    values: [numbers],
  });
}

function readContents(
  run: RunStatement,
  numbers: readonly string[],
): Promise<(ContentRow & { readonly skill: string })[]> {
  return run({
    text: `SELECT skill, path, size, sha256, executable, complete, is_text AS "isText", kept
      FROM skill_discovery.content_file WHERE skill = ANY ($1) ORDER BY skill, position`,
    values: [numbers],
  });
}

function readClaims(run: RunStatement, numbers: readonly string[]): Promise<(ClaimRow & { readonly skill: string })[]> {
  return run({
    text: `SELECT skill, name AS source, fingerprint, hash FROM skill_discovery.claim
      JOIN skill_discovery.source ON source.number = claim.source WHERE skill = ANY ($1) ORDER BY skill, name`,
    values: [numbers],
  });
}

/** Rows by their skill, without it. */
function bySkill<Row extends { readonly skill: string }>(rows: readonly Row[]): Map<string, Omit<Row, 'skill'>[]> {
  const found = new Map<string, Omit<Row, 'skill'>[]>();
  for (const { skill, ...row } of rows) {
    const list = found.get(skill);
    if (list === undefined) found.set(skill, [row]);
    else list.push(row);
  }
  return found;
}
