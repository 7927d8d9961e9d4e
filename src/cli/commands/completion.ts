/** Completion for bash and zsh: a script that knows every command and option, and starts nothing when Tab is pressed. */
import { Argument } from 'commander';
import type { Command } from '../command.ts';
import { print } from '../output.ts';

const SHELLS = ['bash', 'zsh'] as const;

export function addCommands(completion: Command): void {
  completion
    .addArgument(new Argument('<shell>', 'bash or zsh').choices(SHELLS))
    .action(async (shell: string) => {
      // Loaded here: this is one of the commands that it lists.
      const { createProgram } = await import('../program.ts');
      const program = await createProgram();
      print(shell === 'zsh' ? zshScript(program) : bashScript(program));
    });
}

interface Node {
  /** Empty for the program itself. */
  readonly path: string;
  readonly commands: readonly string[];
  readonly flags: readonly string[];
  /** Options whose next word is a value. */
  readonly valued: readonly string[];
}

function nodesOf(command: Command, path: readonly string[] = []): Node[] {
  const { options } = command;
  const flagsOf = (some: readonly { short?: string; long?: string }[]): string[] =>
    some.flatMap(({ long }) => (long === undefined ? [] : [long]));
  const node = {
    path: path.join(' '),
    commands: command.commands.map((each) => each.name()),
    flags: [...flagsOf(options), '--help'],
    valued: flagsOf(options.filter((option) => option.required || option.optional)),
  };
  return [
    node,
    ...command.commands.flatMap((each) => nodesOf(each as Command, [...path, each.name()])),
  ];
}

/** Names of commands and options are letters, digits and dashes; nothing here needs more than these quotes. */
function caseOf(
  name: string,
  nodes: readonly Node[],
  words: (node: Node) => readonly string[],
): string {
  const arms = nodes
    .filter((node) => words(node).length > 0)
    .map((node) => `    '${node.path}') printf '%s' '${words(node).join(' ')}' ;;`);
  return `${name}() {\n  case "$1" in\n${arms.join('\n')}\n  esac\n}`;
}

/** Without what bash has only had since version 4: macOS still ships version 3. */
function bashScript(program: Command): string {
  const nodes = nodesOf(program);
  return `# Completion of filewright for bash. To load it: eval "$(filewright completion bash)"
${caseOf('_filewright_commands', nodes, ({ commands }) => commands)}
${caseOf('_filewright_flags', nodes, ({ flags }) => flags)}
${caseOf('_filewright_valued', nodes, ({ valued }) => valued)}
_filewright() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' value='' word known at=1
  COMPREPLY=()
  while [ "$at" -lt "$COMP_CWORD" ]; do
    word="\${COMP_WORDS[at]}"
    at=$((at + 1))
    if [ -n "$value" ]; then
      value=''
      continue
    fi
    case "$word" in
      -*)
        known=" $(_filewright_valued '') $(_filewright_valued "$path") "
        case "$known" in *" $word "*) value=1 ;; esac
        ;;
      *)
        known=" $(_filewright_commands "$path") "
        case "$known" in *" $word "*) path="\${path:+$path }$word" ;; esac
        ;;
    esac
  done
  # A value, or an argument of a command: the shell offers files.
  [ -n "$value" ] && return 0
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$(_filewright_flags "$path") $(_filewright_flags '')" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$(_filewright_commands "$path")" -- "$current")) ;;
  esac
}
complete -o bashdefault -o default -F _filewright filewright`;
}

/** zsh takes completions written for bash; one script that is tested is better than two. */
function zshScript(program: Command): string {
  return `#compdef filewright
# Completion of filewright for zsh. To load it: eval "$(filewright completion zsh)"
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bashScript(program).split('\n').slice(1).join('\n')}`;
}
