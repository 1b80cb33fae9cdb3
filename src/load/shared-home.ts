/**
 * The folder that paths are stored relative to in a catalogue that machines share: the root, so that two machines agree
 * wherever their local copies lie. Paths of other drives are absolute.
 */
export const FILE_SYSTEM_ROOT: string = process.platform === 'win32' ? 'C:\\' : '/';
