/** `belay report`: the change record of an upgrade that has ended, kept longer than Temporal keeps history. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { messageOf } from '../../domain/core/unknown.ts';
import { readChangeRecord } from '../shared/change-record.ts';
import { type CommonOptions, oneOf, print, printText, readConfig, withCommon } from '../shared/context.ts';
import { CliError } from '../shared/errors.ts';
import { formatByFile } from '../shared/output.ts';
import { type ChangeRecord, iacNotesOf } from '../../render/change-record/record.ts';
import { renderReport } from '../render/status.ts';
import { cannotWrite, pictureNeedsFile } from '../messages/arguments.ts';
import { noTimeline, writtenTo } from '../messages/outcomes.ts';

const FORMATS = ['text', 'json', 'markdown', 'html', 'png'] as const;
type Format = (typeof FORMATS)[number];

interface Options extends CommonOptions {
  format: Format;
  output?: string;
}

export function reportCommand(): Command {
  return formatByFile(withCommon(new Command('report')), FORMATS)
    .description('show the record of the last ended upgrade')
    .argument('<cluster>', 'name in belay.yaml')
    .option('--format <format>', `${FORMATS.join(', ')}; png is the timeline alone`, oneOf(...FORMATS), 'text')
    .option('-o, --output <file>', 'write the record to this file; without --format, its name gives the format: record.html')
    .action(async (cluster: string, { format, output, ...options }: Options) => {
      if (format === 'png' && output === undefined) throw new CliError(pictureNeedsFile());
      const config = readConfig(options);
      const { record, json } = await readChangeRecord(config, cluster);
      const content = format === 'json' ? JSON.stringify(json, null, 2) : await render(record, format);
      if (output === undefined) (format === 'text' ? printText : print)(content.toString());
      else write(output, content);
    });
}

async function render(record: ChangeRecord, format: Exclude<Format, 'json'>): Promise<string | Buffer> {
  switch (format) {
    case 'text':
      return renderReport(record.report, record.asked, iacNotesOf(record), record.forecast);
    case 'markdown':
      return (await import('../../render/change-record/markdown.ts')).renderRecordMarkdown(record);
    case 'html':
      return await (await import('../../render/change-record/html.ts')).renderRecordHtml(record);
    case 'png': {
      const png = await (await import('../../render/charts/timeline.ts')).timelinePng(record.report);
      if (png === undefined) throw new CliError(noTimeline());
      return png;
    }
  }
}

function write(file: string, content: string | Buffer): void {
  try {
    writeFileSync(file, content);
  } catch (error) {
    throw new CliError(cannotWrite('--output', file, messageOf(error)));
  }
  process.stderr.write(`${writtenTo(file)}\n`);
}
