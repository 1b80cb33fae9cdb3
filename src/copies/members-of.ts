import { Members } from '../arrays/members.js';

/** The members of the groups of each catalogue; made when its copies are first looked for. */
const membersByGroups = new WeakMap<Uint32Array, Members>();

/** @param groupOf group of each document, named by one of its documents; it must not change */
export function membersOf(groupOf: Uint32Array): Members {
  let members = membersByGroups.get(groupOf);
  if (members === undefined) {
    members = new Members(groupOf, groupOf.length);
    membersByGroups.set(groupOf, members);
  }
  return members;
}
