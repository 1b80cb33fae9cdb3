import type { Resource } from '@modelcontextprotocol/server';
import type { PublishedSkill } from './published-skills.js';
import { skillUri } from './skill-uri.js';

const FOLDER = 'inode/directory';

/**
 * What lies directly in a folder of a skill: files and folders, in code-unit order of their names.
 *
 * @param path inside the skill; empty for the skill's folder
 * @returns undefined if the skill has no such folder
 */
export function childrenOf(skill: PublishedSkill, path: string): Resource[] | undefined {
  const { id, frontMatter, files } = skill;
  const prefix = path === '' ? '' : `${path}/`;
  const children = new Map<string, Resource>();
  for (const file of files) {
    if (!file.path.startsWith(prefix)) continue;
    const [name = '', ...rest] = file.path.slice(prefix.length).split('/');
    const uri = skillUri(id, frontMatter.name, `${prefix}${name}`);
    if (rest.length > 0) children.set(name, { uri, name, mimeType: FOLDER });
    else children.set(name, { uri, name, mimeType: mimeTypeOf(name, file.mediaType), size: file.size });
  }
  if (children.size === 0) return undefined;
  return [...children.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function mimeTypeOf(name: string, mediaType: string): string {
  return name === 'SKILL.md' ? 'text/markdown' : mediaType;
}
