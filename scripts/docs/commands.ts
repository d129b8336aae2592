/** docs/commands.md: every command of `belay`, as its own help has it. */
import type { Command } from 'commander';
import { createProgram } from '../../cli/program.ts';
import { code, GENERATED, page, table } from './markdown.ts';

export function commandsDocument(): string {
  const commands = createProgram().commands.flatMap(leaves);
  return page(
    '# Commands',
    GENERATED,
    [
      'In a checkout: `npm run belay -- COMMAND`. In the container image: `docker compose run --rm worker COMMAND`.',
      'Errors go to stderr in a sentence or two that name the fix; `--debug` adds where they come from. Exit codes: 0 done, 1 could not run (arguments, configuration, connections), 2 refused or failed.',
    ],
    table(
      ['Command', 'Does'],
      commands.map(({ name, command }) => [`[belay ${name}](#belay-${name.replaceAll(' ', '-')})`, command.description()]),
    ),
    ...commands.flatMap(section),
  );
}

interface Named {
  /** "check", "migrate karpenter" */
  name: string;
  command: Command;
}

/** Commands that do something: of a family, its members. */
function leaves(command: Command): Named[] {
  if (command.commands.length === 0) return [{ name: command.name(), command }];
  return command.commands.flatMap(leaves).map((each) => ({ ...each, name: `${command.name()} ${each.name}` }));
}

function section({ name, command }: Named): string[] {
  const words = command.registeredArguments.map((argument) => {
    const word = argument.name() + (argument.variadic ? '...' : '');
    return argument.required ? `<${word}>` : `[${word}]`;
  });
  const rows = [
    ...command.registeredArguments.map((argument) => [code(argument.name()), argument.description, '']),
    ...command.options.map((option) => [code(option.flags), option.description, shown(option.defaultValue)]),
  ];
  return [
    `## belay ${name}`,
    `${capital(command.description())}.`,
    `\`\`\`sh\n${['belay', name, ...words].join(' ')}${command.options.length > 0 ? ' [options]' : ''}\n\`\`\``,
    ...(rows.length === 0 ? [] : [table(['Argument or option', 'Meaning', 'Default'], rows)]),
  ];
}

function shown(value: unknown): string {
  if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) return '';
  return typeof value === 'string' || typeof value === 'number' ? code(String(value)) : code(JSON.stringify(value));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
