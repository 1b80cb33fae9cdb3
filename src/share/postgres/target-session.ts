import { SkillSearchError } from '../../core/index.js';

/** Which of several hosts an address means, as PostgreSQL's own programs have it. */
export const TARGET_SESSIONS = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
export type TargetSession = (typeof TARGET_SESSIONS)[number];

export function isTargetSession(text: string): text is TargetSession {
  return TARGET_SESSIONS.includes(text as TargetSession);
}

/** What a database says of itself. */
export interface FoundSession {
  /** Whether transactions may only read unless they say otherwise. */
  readonly isReadOnly: boolean;
  readonly isStandby: boolean;
}

const MEANT: Readonly<Record<TargetSession, (found: FoundSession) => boolean>> = {
  any: () => true,
  'read-write': ({ isReadOnly }) => !isReadOnly,
  'read-only': ({ isReadOnly }) => isReadOnly,
  primary: ({ isStandby }) => !isStandby,
  standby: ({ isStandby }) => isStandby,
  'prefer-standby': () => true,
};

/**
 * Checks that a host is one that is meant.
 *
 * @param shown its address for messages
 * @param isReader whether nothing is written there
 * @throws {SkillSearchError} `DATABASE_NOT_WRITABLE` if it may only be read and that is not enough;
 *   `DATABASE_NOT_READABLE` if it is another than the address wants
 */
export function checkTarget(shown: string, target: TargetSession, found: FoundSession, isReader: boolean): void {
  if (found.isReadOnly && !isReader) {
    const message = `${shown} may only be read: is this a standby? Give the address of the primary`;
    throw new SkillSearchError('DATABASE_NOT_WRITABLE', message, { path: shown });
  }
  if (MEANT[target](found)) return;
  const what = found.isStandby ? 'a standby' : found.isReadOnly ? 'a primary that may only be read' : 'a primary';
  const message = `${shown} is ${what}, and its address wants target_session_attrs=${target}`;
  throw new SkillSearchError('DATABASE_NOT_READABLE', message, { path: shown });
}
