/**
 * The part of hnswlib-node that this library uses. The package is optional: where no compiler is there for it, npm
 * leaves it out with its types, and this library is built all the same.
 */
declare module 'hnswlib-node' {
  export class HierarchicalNSW {
    constructor(space: 'ip', dimensions: number);
    initIndex(maxElements: number, edges: number, breadth: number, seed: number): void;
    readIndex(path: string): Promise<boolean>;
    writeIndexSync(path: string): void;
    resizeIndex(maxElements: number): void;
    addPoint(vector: number[], label: number): void;
    markDelete(label: number): void;
    searchKnn(
      vector: number[],
      count: number,
      filter?: (label: number) => boolean,
    ): { readonly distances: number[]; readonly neighbors: number[] };
    getIdsList(): number[];
    getCurrentCount(): number;
    setEf(breadth: number): void;
  }
  const library: { readonly HierarchicalNSW: typeof HierarchicalNSW };
  export default library;
}
