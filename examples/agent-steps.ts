// An agent that searches before each step, and shows its model only what fits into a budget of tokens.
//
// The model is scripted: at each step it says what it wants to do next.
import { openSkillSearch } from 'skill-discovery';
import { formatSkills } from 'skill-discovery/agents';

const BUDGET = 60;
const SCRIPT = ['read the invoice pdf', 'sum up the table', 'write an email'];

await using search = await openSkillSearch({
  skills: [
    { id: 'pdf-reader', name: 'pdf-reader', description: 'Reads text out of PDF files. Also scanned ones.' },
    { id: 'pdf-forms', name: 'pdf-forms', description: 'Fills in PDF forms. Needs the names of the fields.' },
    { id: 'table-sums', name: 'table-sums', description: 'Sums up columns of a table.' },
  ],
});

for (const step of SCRIPT) {
  const { hits } = search.keyword({ q: step, limit: 5 });
  const { text, leftOut, tokens } = formatSkills(hits, { format: 'list', maxTokens: BUDGET });
  console.log(`step: ${step} (${tokens <= BUDGET ? 'fits' : 'too long'}, ${leftOut} left out)`);
  console.log(text === '' ? 'no skill' : text);
}
