/** `belay schema`: the JSON Schema of belay.yaml, for editors. */
import { Command } from 'commander';
import { configJsonSchema } from '../../domain/policy/config/schema.ts';
import { printJson, withCommon } from '../shared/context.ts';

export function schemaCommand(): Command {
  return withCommon(new Command('schema'))
    .description('print the JSON Schema of belay.yaml')
    .action(() => printJson(configJsonSchema()));
}
