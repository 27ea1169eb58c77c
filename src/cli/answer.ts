// The output of a finished command: a line for people, or one JSON object for programs with --json.
import type { Command } from 'commander'

/** Result of a command for programs, as JSON; its names are stable. */
export type Facts = Readonly<Record<string, unknown>>

/** Adds `--json` to a command. */
export function withJson(command: Command): Command {
  return command.option('--json', 'print the result as JSON, for programs')
}

/** Prints the line, or with `--json` the facts under the command's name. */
export function answer(command: Command, line: string, facts: Facts): void {
  console.log(
    command.opts<{ json?: true }>().json ? JSON.stringify({ command: command.name(), ...facts }) : line,
  )
}
