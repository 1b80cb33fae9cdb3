import type { SkillSearch } from '../../../src/index.js';

/** A search with some of its methods replaced. */
export function replacing(search: SkillSearch, methods: Partial<SkillSearch>): SkillSearch {
  return new Proxy(search, {
    get: (_, name) => {
      const value: unknown = Reflect.get(name in methods ? methods : search, name);
      return typeof value === 'function' ? value.bind(search) : value;
    },
  });
}
