// Judges Compose files by the library that Docker Compose itself reads them with; install-tools.sh builds it.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	for _, file := range os.Args[1:] {
		options, err := cli.NewProjectOptions([]string{file}, cli.WithOsEnv, cli.WithEnvFiles(), cli.WithDotEnv)
		if err == nil {
			project, loadErr := options.LoadProject(context.Background())
			err = loadErr
			if err == nil {
				fmt.Println(file, "services:", project.ServiceNames())
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, file+":", err)
			os.Exit(1)
		}
	}
}
