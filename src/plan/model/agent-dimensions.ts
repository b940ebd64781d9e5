import type { DimensionDefinition } from './define-cube.ts';

/** What an event tells of the program that sent it; a session has it from its first event. */
export const agentDimensions: Readonly<Record<string, DimensionDefinition>> = {
  agentName: { description: 'Browser or other agent: Firefox.', sql: '{CUBE}.agent_name' },
  agentVersion: { description: 'Version of the browser or other agent.', sql: '{CUBE}.agent_version' },
  osFamily: { description: 'Family of operating systems: Linux.', sql: '{CUBE}.os_family' },
  osName: { description: 'Operating system: Ubuntu.', sql: '{CUBE}.os_name' },
  osVersion: { description: 'Version of the operating system.', sql: '{CUBE}.os_version' },
  osVersionMajor: { description: 'Major version of the operating system.', sql: '{CUBE}.os_version_major' },
};
