import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Members } from '../../../src/core/index.js';

test('the members of a group are all documents that say they are in it', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1, max: 8 }), { maxLength: 40 }), (groupOf) => {
      const members = Members.byGroup(groupOf, 9);
      for (let group = 0; group < 9; group++) {
        expect([...members.of(group)]).toEqual([...groupOf.keys()].filter((document) => groupOf[document] === group));
      }
    }),
  );
});
