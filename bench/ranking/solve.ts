/**
 * Solves `A x = b` of a symmetric positive definite `A` by its Cholesky factors.
 *
 * @param matrix row by row; it is overwritten
 */
export function solve(matrix: Float64Array, right: Float64Array): Float64Array {
  const size = right.length;
  const at = (row: number, column: number): number => matrix[row * size + column] as number;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = at(row, column);
      for (let k = 0; k < column; k++) sum -= at(row, k) * at(column, k);
      matrix[row * size + column] = row === column ? Math.sqrt(sum) : sum / at(column, column);
    }
  }
  const solved = right.slice();
  for (let row = 0; row < size; row++) {
    for (let k = 0; k < row; k++) solved[row] = (solved[row] as number) - at(row, k) * (solved[k] as number);
    solved[row] = (solved[row] as number) / at(row, row);
  }
  for (let row = size - 1; row >= 0; row--) {
    for (let k = row + 1; k < size; k++) solved[row] = (solved[row] as number) - at(k, row) * (solved[k] as number);
    solved[row] = (solved[row] as number) / at(row, row);
  }
  return solved;
}
