/** Words that find several skills, and a skill that has files beside its SKILL.md. */
export interface Shown {
  readonly question: string;
  readonly skill: string;
}

/** One page of each kind: what to call it, and its path below the address of the site. */
export function everyPage({ question, skill }: Shown): readonly (readonly [name: string, path: string])[] {
  const of = `/skills/${encodeURIComponent(skill)}`;
  return [
    ['search', '/'],
    ['results', `/?q=${encodeURIComponent(question)}`],
    ['nothing', '/?q=zzxqv+wvvqx'],
    ['newest', '/?sortBy=recent'],
    ['skill', of],
    ['file', `${of}/files/SKILL.md`],
    ['error', '/skills/nobody'],
  ];
}
