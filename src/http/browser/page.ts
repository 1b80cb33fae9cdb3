/** The script of the pages. All of it is in this file: a page loads one script. */

/** Runs when the page is there: a module waits for the document by itself. */
function start(): void {}

// Tests import the functions without a document.
if (typeof document !== 'undefined') start();

export {};
