import { Command as Commander } from 'commander';

/** A command of sluice: its help ends with examples. */
export class Command extends Commander {
  /** `text`: a line for each, below the heading. */
  examples(text: string): this {
    return this.addHelpText('after', `\nExamples:${text}`);
  }
}
