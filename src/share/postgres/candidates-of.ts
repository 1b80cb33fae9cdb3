import { atHost, type PostgresAddress } from './postgres-address.js';
import type { TargetSession } from './target-session.js';

/** A host of an address, as an address of its own, and what it must be. */
export interface Candidate {
  readonly address: PostgresAddress;
  readonly target: TargetSession;
}

/** The hosts of an address in the order in which they are tried. */
export function candidatesOf(address: PostgresAddress): readonly Candidate[] {
  const { target, hosts } = address;
  const wanting = (wanted: TargetSession): Candidate[] =>
    hosts.map((host) => ({ address: atHost(address, host), target: wanted }));
  return target === 'prefer-standby' ? [...wanting('standby'), ...wanting('any')] : wanting(target);
}
