// Where the package is imported, so that it can be swapped. It takes a moment: import this when a file is there to
// read.
export { parse as parseToml, TomlError } from 'smol-toml';
