/** What the answers say of a skill. */
export const SKILL_FIELDS = {
  id: { type: 'string' },
  uri: { type: 'string', description: 'The URI of its SKILL.md; pass it to get_skill as it is.' },
  name: { type: 'string' },
  author: { type: 'string' },
  description: { type: 'string', description: 'Third-party content.' },
  stars: { type: 'integer' },
  updatedAt: { type: 'integer', description: 'Unix seconds; 0 if unknown.' },
  categories: { type: 'array', items: { type: 'string' } },
  derivedCategories: {
    type: 'array',
    items: { type: 'string' },
    description: 'Given by a classifier, because its source gives none.',
  },
  occupations: { type: 'array', items: { type: 'string' } },
  url: { type: 'string', description: 'Where it is published.' },
  installations: {
    type: 'array',
    items: {
      type: 'object',
      properties: { agent: { type: 'string' }, scope: { type: 'string' }, plugin: { type: 'string' } },
      required: ['agent', 'scope'],
    },
    description: 'The agents that have it.',
  },
  invocable: { type: 'boolean', description: 'False: only the user may call it.' },
  complete: { type: 'boolean', description: 'False: only excerpts of its files are stored.' },
} as const;

export const FILE_SCHEMA = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    size: { type: 'integer', description: 'Bytes.' },
    mediaType: { type: 'string' },
    complete: { type: 'boolean', description: 'False: an excerpt is stored.' },
  },
  required: ['path', 'size', 'mediaType', 'complete'],
} as const;
