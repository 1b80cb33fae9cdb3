/** The files, and what they are called while they are written. */
type VectorFileKind = 'codes' | 'graph' | 'codesPart' | 'graphPart';

/** Names of the files that are derived from a catalogue's vectors. */
export function vectorFileNames(catalogue: string): Readonly<Record<VectorFileKind, string>> {
  const [codes, graph] = [`${catalogue}.vectors`, `${catalogue}.vectors-graph`];
  return { codes, graph, codesPart: `${codes}-part`, graphPart: `${graph}-part` };
}
