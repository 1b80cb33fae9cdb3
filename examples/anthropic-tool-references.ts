// Tool references for the Messages API of Anthropic.
//
// Each skill is a deferred tool: the API keeps its definition out of the context until the answer of our search tool
// refers to it. `askModel` stands in for the API, with what a model would send.
import { openSkillSearch } from 'skill-discovery';
import { type AnthropicToolResult, formatSkills, toolNameOf } from 'skill-discovery/agents';

await using search = await openSkillSearch({
  skills: [
    { id: 'pdf-forms', name: 'pdf-forms', description: 'Fills in PDF forms.' },
    { id: 'bread', name: 'bread', description: 'Bakes bread. Knows sourdough.' },
  ],
});

const searchTool = {
  name: 'search_skills',
  description: 'Finds skills for a task.',
  input_schema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};
const skills = search.ids().flatMap((id) => search.get(id) ?? []);
const deferred = skills.map((skill) => ({
  name: toolNameOf(skill),
  description: skill.description,
  input_schema: { type: 'object', properties: {} },
  defer_loading: true,
}));
const tools = [searchTool, ...deferred];

/** Stands in for `messages.create`. */
function askModel(result: AnthropicToolResult | undefined): { name: string; id: string; query?: string } {
  if (result === undefined) return { name: 'search_skills', id: 'toolu_1', query: 'fill in forms' };
  return { name: result.content[0]?.tool_name ?? 'none', id: 'toolu_2' };
}

const asked = askModel(undefined);
console.log(`${tools.length} tools, ${deferred.length} of them deferred; the model searches: ${asked.query}`);
const { hits } = search.keyword({ q: asked.query ?? '' });
const { value } = formatSkills(hits, { format: 'anthropic-tool-references', callId: asked.id, maxTokens: 200 });
console.log(JSON.stringify(value));
const called = askModel(value);
const skill = skills.find((one) => toolNameOf(one) === called.name);
console.log(`the model calls ${called.name} and gets: ${skill?.description}`);
