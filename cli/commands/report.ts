/** `belay report`: the change record of an upgrade that has ended, kept longer than Temporal keeps history. */
import { Command } from 'commander';
import { defined } from '../../domain/core/defined.ts';
import { readChangeRecord } from '../shared/change-record.ts';
import { type CommonOptions, oneOf, readConfig, withCommon } from '../shared/context.ts';
import { CliError } from '../shared/errors.ts';
import { formatByFile, writeOutput, writeReport } from '../shared/output.ts';
import { type ChangeRecord, iacNotesOf } from '../../render/change-record/record.ts';
import { renderReport } from '../render/status.ts';
import { withoutControls } from '../shared/controls.ts';
import { pictureNeedsFile } from '../messages/arguments.ts';
import { noTimeline } from '../messages/outcomes.ts';

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
      const { record, json } = await readChangeRecord(readConfig(options), cluster);
      if (format === 'png') writeOutput('--output', output ?? '', await picture(record));
      else
        writeReport({ format, ...defined({ output }) }, format === 'json' ? JSON.stringify(json, null, 2) : await render(record, format));
    });
}

async function picture({ report }: ChangeRecord): Promise<Uint8Array> {
  const png = await (await import('../../render/charts/timeline.ts')).timelinePng(report);
  if (png === undefined) throw new CliError(noTimeline());
  return png;
}

async function render(given: ChangeRecord, format: Exclude<Format, 'json' | 'png'>): Promise<string> {
  const record = withoutControls(given);
  switch (format) {
    case 'text':
      return renderReport(record.report, record.asked, iacNotesOf(record), record.forecast);
    case 'markdown':
      return (await import('../../render/change-record/markdown.ts')).renderRecordMarkdown(record);
    case 'html':
      return await (await import('../../render/change-record/html.ts')).renderRecordHtml(record);
  }
}
