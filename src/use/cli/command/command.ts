import { Command as Commander } from 'commander';

/** A command whose help ends with examples. */
export class Command extends Commander {
  /** `text`: one line for each example, starting with a line break. */
  examples(text: string): this {
    return this.addHelpText('after', `\nExamples:${text}`);
  }
}
