// Keeps a page's mistake to that page: the navigation stays, and the visitor sees an error.
import { Component, type ComponentChildren } from "preact";
import { readMessage } from "../api.ts";
import { Failed } from "./states.tsx";

interface GuardProps {
  readonly children: ComponentChildren;
}

export class Guard extends Component<GuardProps, { readonly message: string | null }> {
  override state = { message: null };

  override componentDidCatch(error: unknown): void {
    this.setState({ message: readMessage(error) });
  }

  render({ children }: GuardProps, { message }: { readonly message: string | null }) {
    const retry = async () => this.setState({ message: null });
    return message === null ? children : <Failed message={message} retry={retry} />;
  }
}
