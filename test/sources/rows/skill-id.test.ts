import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveId, idWithHash } from '../../../src/sources/index.js';
import { copyKey } from '../../../src/store/stored-skill.js';

describe('deriveId', () => {
  it.each([
    ['Owner/Repo/skills/React Testing', 'owner-repo-skills-react-testing', false],
    ['o/r/.claude/skills/x_1.2', 'o-r-.claude-skills-x_1.2', false],
    ['o\\r//x/', 'o-r-x', false],
    ['o/r/a--b', 'o-r-a-b', false],
    ['o/r/c++', 'o-r-c', true],
    ['o/r/Café', 'o-r-cafe', true],
    ['o/r/测试', 'o-r', true],
    ['测试', '', true],
    ['..', '', true],
  ])('makes of %s the slug %s', (place, slug, lossy) => {
    expect(deriveId(place)).toMatchObject({ slug, lossy });
  });

  it('is bounded, and says where it was cut', () => {
    expect(deriveId('a'.repeat(250))).toMatchObject({ slug: 'a'.repeat(250), lossy: false });
    expect(deriveId('a'.repeat(251))).toMatchObject({ slug: 'a'.repeat(250), lossy: true });
  });

  it('makes ids of allowed characters only, of any place', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (place) => {
        const { slug, hash } = deriveId(place);
        for (const id of [slug, idWithHash(slug, hash)]) {
          expect(id).toMatch(/^[a-z0-9_.-]*$/);
          expect(id.length).toBeLessThanOrEqual(250);
        }
        expect(idWithHash(slug, hash)).toMatch(/(?:^|-)[0-9a-f]{8}$/);
      }),
    );
  });

  it('tells places with one slug apart by the hash', () => {
    const [one, other] = [deriveId('o/r/测试'), deriveId('o/r/开发')];
    expect(one.slug).toBe(other.slug);
    expect(idWithHash(one.slug, one.hash)).not.toBe(idWithHash(other.slug, other.hash));
    expect(idWithHash('', 'deadbeef')).toBe('deadbeef');
    expect(idWithHash('a'.repeat(250), 'deadbeef')).toHaveLength(250);
  });
});

describe('copyKey', () => {
  it('is the same for copies, however they are written out', () => {
    expect(copyKey(' React  Testing', 'Ａ\nb')).toBe(copyKey('react testing', 'a B'));
    expect(copyKey('a', 'b')).toMatch(/^[0-9a-f]{16}$/);
  });

  it('differs where name or description differ', () => {
    expect(copyKey('a', 'b')).not.toBe(copyKey('a', 'c'));
    expect(copyKey('a b', 'c')).not.toBe(copyKey('a', 'b c'));
  });
});
