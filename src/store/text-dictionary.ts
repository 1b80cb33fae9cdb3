import { Buffer } from 'node:buffer';

/**
 * What texts of skills often say, for the compressor to refer to: a text of two kilobytes has not yet said much itself.
 * What is most frequent stands last, because near references take fewer bits.
 *
 * Stored texts refer to these bytes, so none of them may ever change. Another dictionary needs another form of packed
 * texts, see `packed-text.ts`.
 */
export const TEXT_DICTIONARY: Buffer = Buffer.from(`
<script></script></details><summary></table></div> className="</p>\r\n{{/each}} $ARGUMENTS @media https://www.
{"type": "object", "properties": {"description": "string", "required": true, "status": "error", "message": null}
function async await return const let import export default from 'react'; => { } catch (error) { throw new Error(
interface public class private static void String int self, def __init__(self): print(f" if __name__ == "__main__":
SELECT * FROM table WHERE id = INSERT INTO CREATE TABLE UPDATE DELETE JOIN GROUP BY ORDER BY LIMIT INDEX query schema
docker compose kubernetes cluster container namespace deployment server port localhost:3000 http://localhost:8080
git commit -m "feat: git checkout -b branch git diff git push origin main git status git log --oneline pull request
npm install npm run build npm run test npx pnpm yarn node_modules package.json tsconfig.json pip install uv run pytest
python3 scripts/ python -m cargo build cargo test go test ./... make curl -X POST -H "Content-Type: application/json"
mkdir -p cd cat grep -r find . -name "*.md" echo "export API_KEY= environment variables .env config.yaml settings.json
machine learning model training dataset evaluation metrics pipeline prompt embedding token context window Claude Code
OpenAI Anthropic MCP server tools agent agents subagent orchestrator LLM GPT Gemini Python TypeScript JavaScript React
Next.js Node.js PostgreSQL Redis GraphQL REST API endpoint endpoints request response authentication authorization
security vulnerabilities performance optimization accessibility responsive component components layout design system
frontend backend database migrations infrastructure monitoring logging debugging refactoring architecture patterns
research analysis report summary document documents documentation template templates content marketing customer product
business strategy market data financial audience brand email social media video image images audio slide presentation
planning project management task tasks issue issues milestone priority status progress review reviewer approval
input output parameter parameters argument arguments option options value values default example examples result results
error errors failure warning warnings exception invalid missing required optional supported available existing current
create creating build building generate generating write writing read reading update updating check checking verify
validate validation test tests testing unit integration coverage run running execute execution implement implementation
analyze identify determine define describe explain provide ensure include including following based specific different
license: MIT version: 1.0.0 author: metadata: category: tags: compatibility: allowed-tools: Read, Write, Edit, Bash(git:*),
Glob, Grep, WebFetch, Task, TodoWrite user-invocable: true disable-model-invocation: false argument-hint: model: sonnet
Triggers on: "Trigger when the user asks to Activates when Keywords: Do NOT use for Invoke when working with Covers
should be must be can be will be does not do not don't is not are not has been have been which that this these those
there their they your you're what when where while without within before after between through across during about
## Table of Contents\n\n## Troubleshooting\n\n## Common Issues\n\n## Limitations\n\n## References\n\n## Resources\n\n
## Related Skills\n\n## See Also\n\n## Checklist\n\n- [ ] - [x] ## Error Handling\n\n## Configuration\n\n## Setup\n\n
## Installation\n\n## Requirements\n\n## Prerequisites\n\n## Key Concepts\n\n## Core Principles\n\n## Core Capabilities\n\n
## Best Practices\n\n## Anti-Patterns\n\n## Guidelines\n\n## Rules\n\n## Output Format\n\n## Output\n\n## Input\n\n
## Examples\n\n### Example 1: \n\n**User**: \n**Assistant**: \n## Workflow\n\n### Phase 1: \n\n## Process\n\n### Step 1: \n\n
## Steps\n\n### 2. \n\n### 3. \n\n## How It Works\n\n## How to Use\n\n## Usage\n\n## Commands\n\n## Features\n\n## Purpose\n\n
## Instructions\n\nWhen this skill is invoked, You are an expert in \n\n## Quick Reference\n\n|---------|-------------|
| Command | Description |\n| File | Purpose |\n|------|---------|\n| --- | --- | --- |\n## Quick Start\n\n\`\`\`bash\n#
\`\`\`\n\n\`\`\`python\nimport os\n\`\`\`typescript\n\`\`\`json\n{\n  "\`\`\`yaml\n\`\`\`sql\n\`\`\`markdown\n\`\`\`javascript\n
**Important**: **Note**: **Always** **Never** **Critical** **Example:**\n\n- ✅ - ❌ → — “ ” ’ … • ├── └── │   
- Use - Create - Check - Read - Add - Follow - Keep - Identify - Ensure - Avoid - Run - Define - Review - What - How - If the
1. **\n2. **\n3. **\n4. **\n5. **\n   - 1. Read the 2. 3. 4. If you need to make sure references/ for more details, see the [
## Overview\n\nThis skill provides comprehensive guidance for a complete set of best practices and code quality to help you
## When to Use\n\n## When to Use This Skill\n\nUse this skill when:\n- Use this skill when the user wants to the user asks for
It is used as an in order to of the in the for the to the on the and the with the from the by the at the is the a new file
 files, one of all any each other such as not only into than then also using used uses make more most same first set the user's
---\nname: \ndescription: This skill should be used when the user \ndescription: Use when \ndescription: |\n  \ndescription: >\n  "
 or user mentions , and  project  skill  code  data  file  with  for  and  the ",  to  a  of **: \n- **\n\n## \n---\n\n# `);
