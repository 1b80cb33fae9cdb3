/** What a segment of a path may have as it is. Everything else is escaped, as the URL standard would write it back. */
const ESCAPED = /[^\w!$&'()*+,.:;=@~-]/gu;

/** A skill URI in its parts. */
export interface SkillUri {
  readonly id: string;
  /** The skill's name. */
  readonly name: string;
  /** Path inside the skill; empty for its folder. */
  readonly path: string;
}

/**
 * The URI of a file of a skill, or of the skill's folder: `skill://<id>/<name>/<path>`.
 *
 * The prefix is the skill's id, because an id is unique in a catalogue, stays while the skill stays where it is, and is
 * never a local path. The skill's name has to be the last segment before the path.
 *
 * @param path inside the skill, with `/`; the skill's folder if it is empty
 * @throws {URIError} if a part has a lone surrogate
 */
export function skillUri(id: string, name: string, path: string = 'SKILL.md'): string {
  const segments = path === '' ? [name] : [name, ...path.split('/')];
  return `skill://${encodeURIComponent(id)}/${segments.map(escapeSegment).join('/')}`;
}

function escapeSegment(segment: string): string {
  return segment.replace(ESCAPED, (character) => encodeURIComponent(character));
}

/**
 * Takes a skill URI apart.
 *
 * @returns undefined if it is none, or is not spelt as {@link skillUri} spells it: a skill has one URI
 */
export function parseSkillUri(uri: string): SkillUri | undefined {
  const match = /^skill:\/\/([^/?#]+)\/([^?#]+)$/.exec(uri);
  if (match === null) return undefined;
  try {
    const id = decodeURIComponent(match[1]!);
    const [name = '', ...segments] = match[2]!.split('/').map(decodeURIComponent);
    const path = segments.join('/');
    return skillUri(id, name, path) === uri ? { id, name, path } : undefined;
  } catch {
    return undefined;
  }
}
