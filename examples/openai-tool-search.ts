// `tool_search` for the Responses API of OpenAI.
//
// The model searches, our answer brings the definitions of the skills that fit as functions, and the model calls one.
// `askModel` stands in for the API, with what a model would send.
import { openSkillSearch } from 'skill-discovery';
import { formatSkills, type OpenaiToolSearchOutput, toolNameOf } from 'skill-discovery/agents';

await using search = await openSkillSearch({
  skills: [
    { id: 'pdf-forms', name: 'pdf-forms', description: 'Fills in PDF forms.' },
    { id: 'bread', name: 'bread', description: 'Bakes bread. Knows sourdough.' },
  ],
});

const tool = {
  type: 'tool_search',
  execution: 'client',
  description: 'Finds skills for a task.',
  parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};

/** Stands in for `responses.create`. */
function askModel(output: OpenaiToolSearchOutput | undefined): { type: string; call_id: string; text: string } {
  if (output === undefined) return { type: 'tool_search_call', call_id: 'call_1', text: 'bake bread' };
  return { type: 'function_call', call_id: 'call_2', text: output.tools[0]?.name ?? 'none' };
}

const asked = askModel(undefined);
console.log(`${tool.type} by the ${tool.execution}: ${asked.text}`);
const { hits } = search.keyword({ q: asked.text });
const { value } = formatSkills(hits, { format: 'openai-tool-search-output', callId: asked.call_id, maxTokens: 400 });
console.log(JSON.stringify(value));
const called = askModel(value);
const found = hits.find(({ skill }) => toolNameOf(skill) === called.text);
console.log(`the model calls ${called.text} and gets: ${found?.skill.description}`);
