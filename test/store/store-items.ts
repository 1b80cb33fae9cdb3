import type { Skill } from '../../src/skill.js';
import type { SkillToStore } from '../../src/store/stored-skill.js';
import type { ChangeCounts } from '../../src/store/write/open-load.js';
import { CatalogueWriter, OpenLoad } from '../../src/store/writing.js';

/** A skill ready for the store. */
export function storeItem(id: string, more: Partial<Skill> = {}, files = ['SKILL.md']): SkillToStore {
  const skill: Skill = {
    id,
    name: `name of ${id}`,
    author: 'unknown',
    description: 'a skill',
    codehostUrl: 'unknown',
    skillUrl: 'unknown',
    stars: 0,
    updatedAt: 0,
    categories: [],
    occupations: [],
    tags: [],
    ...more,
  };
  const { name, description } = skill;
  return {
    skill,
    properties: {},
    files: files.map((filename) => ({ filename, text: `${filename}: ${description}` })),
    copyKey: `${name}\n${description}`,
    textHash: Buffer.from(`${name} ${description}`),
    location: `place/${id}`,
  };
}

/** Puts skills into a catalogue in one load. */
export function loadItems(path: string, items: readonly SkillToStore[], exists: boolean): ChangeCounts {
  const writer = new CatalogueWriter(new OpenLoad(path, exists));
  for (const item of items) writer.put(item, 'source');
  return finished(writer);
}

/** Publishes a load, and ends it. */
export function finished(writer: CatalogueWriter): ChangeCounts {
  try {
    return writer.publish();
  } finally {
    writer.close();
  }
}
